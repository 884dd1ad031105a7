/**
 * A bot in a process of its own. Loads everything, waits to be told to begin, and tells its parent where it is
 * reached once commands are answered. Armed with a `StepMoment`, it is killed, or paused, at that moment of whatever
 * job reaches it first.
 */
import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { micros } from '../../../src/base/money.ts';
import { createMasquerade } from '../../../src/compose/create-masquerade.ts';
import type { StepEvent } from '../../../src/bot/jobs/run/worker.ts';
import type { OwnClientOptions } from '../../../src/compose/masquerade-options.ts';
import { ShiftedClock } from '../../helpers/shifted-clock.ts';

export interface ChildOptions {
  readonly token: string;
  readonly apiUrl: string;
  readonly cdnHost: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly signingSecret: string;
  readonly dataDir: string;
  readonly databaseUrl: string;
  /** How webhooks come in. */
  readonly publicUrl: string;
  readonly sharding: Pick<OwnClientOptions, 'shards' | 'shardCount'>;
  /** What each guild may spend in a month. */
  readonly budgetMicros: number;
  readonly lostLeasesMax: number;
}

export interface StepMoment extends Pick<StepEvent, 'stage' | 'moment'> {
  /** Default SIGKILL. With SIGSTOP the process goes on when its parent lets it. */
  readonly signal?: 'SIGKILL' | 'SIGSTOP';
  /** Default: the first that comes there. */
  readonly jobId?: string;
}

/** What the parent says: how far the clock goes ahead when the bot begins, then when it dies. */
export type ToChild =
  | { readonly beginAheadMs: number; readonly dieAt?: StepMoment }
  | { readonly dieAt: StepMoment };

/** What the child says. */
export type ToParent = { readonly webUrl: string } | { readonly armed: true } | { readonly moment: string };

const options = JSON.parse(process.argv[2] ?? '') as ChildOptions;
// Who is killed has no other moment to keep what it compiled for those who come after.
flushCompileCache();
const [begin] = (await once(process, 'message')) as [ToChild];
const clock = new ShiftedClock();
clock.shift('beginAheadMs' in begin ? begin.beginAheadMs : 0);

let dieAt = begin.dieAt;
process.on('message', (message: ToChild) => {
  if (!message.dieAt) return;
  dieAt = message.dieAt;
  tell({ armed: true });
});

const bot = await createMasquerade({
  discord: { token: options.token, apiUrl: options.apiUrl, ...options.sharding },
  attachmentHosts: [options.cdnHost],
  http: { port: 0 },
  mediaApi: {
    baseUrl: options.baseUrl,
    apiKey: options.apiKey,
    signingSecrets: [options.signingSecret],
    requestsPerMinute: 100_000,
  },
  publicUrl: options.publicUrl,
  dataDir: options.dataDir,
  databaseUrl: options.databaseUrl,
  clock,
  defaultBudget: { limit: micros(options.budgetMicros), period: 'month', timeZone: 'UTC' },
  jobLimits: {
    leaseMs: 600,
    lostLeasesMax: options.lostLeasesMax,
    webhookMsMin: 500,
    pollMsFirst: 200,
    pollMsMax: 500,
  },
  onStep: ({ stage, moment, jobId }) => {
    const isAt = stage === dieAt?.stage && moment === dieAt.moment && jobId === (dieAt.jobId ?? jobId);
    const { signal = 'SIGKILL' } = dieAt ?? {};
    if (isAt) dieAt = undefined;
    if (isAt) process.kill(process.pid, signal);
    tell({ moment });
  },
});
tell({ webUrl: bot.webUrl ?? '' });

function tell(message: ToParent): void {
  process.send?.(message);
}
