/**
 * The program that a `BotProcess` runs. It loads everything, waits for its parent's start message, and reports its
 * web address as soon as it answers commands. When it is armed with a `StepMoment`, it kills or pauses itself as soon
 * as a job reaches that moment.
 */
import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { createMasquerade } from '../../src/compose/create-masquerade.ts';
import type { StepEvent } from '../../src/bot/jobs/run/worker.ts';
import type { MasqueradeOptions } from '../../src/compose/masquerade-options.ts';
import { ShiftedClock } from './shifted-clock.ts';

export interface StepMoment extends Pick<StepEvent, 'stage' | 'moment'> {
  /** Default: SIGKILL. After SIGSTOP the process continues when its parent resumes it. */
  readonly signal?: 'SIGKILL' | 'SIGSTOP';
  /** Default: the first job that reaches the moment. */
  readonly jobId?: string;
}

/** Messages from the parent: how far the clock is ahead when the bot starts, and at which moment to die. */
export type ToChild =
  | { readonly beginAheadMs: number; readonly dieAt?: StepMoment }
  | { readonly dieAt: StepMoment };

/** Messages from the child. */
export type ToParent = { readonly webUrl: string } | { readonly armed: true } | { readonly moment: string };

const options = JSON.parse(process.argv[2] ?? '') as MasqueradeOptions;
// Stores the compiled code for later processes now, because a killed process does not store it on exit.
flushCompileCache();
const [begin] = (await once(process, 'message')) as [ToChild];
const clock = new ShiftedClock();
clock.shift('beginAheadMs' in begin ? begin.beginAheadMs : 0);

let dieAt = begin.dieAt;
process.on('message', (message: ToChild) => {
  if (!message.dieAt) return;
  dieAt = message.dieAt;
  send({ armed: true });
});

const bot = await createMasquerade({
  ...options,
  clock,
  onStep: ({ stage, moment, jobId }) => {
    const isAt = stage === dieAt?.stage && moment === dieAt.moment && jobId === (dieAt.jobId ?? jobId);
    const { signal = 'SIGKILL' } = dieAt ?? {};
    if (isAt) dieAt = undefined;
    if (isAt) process.kill(process.pid, signal);
    send({ moment });
  },
});
send({ webUrl: bot.webUrl ?? '' });

function send(message: ToParent): void {
  process.send?.(message);
}
