/**
 * A bot in a process of its own. Says `ready` to its parent once commands are answered; once the parent has
 * armed it with a `StepMoment`, it is killed, or paused, at that moment of whatever job reaches it first.
 */
import { micros } from '../../src/base/money.ts';
import { createMasquerade } from '../../src/bot.ts';
import type { StepEvent } from '../../src/jobs/worker.ts';

export interface ChildOptions {
  readonly token: string;
  readonly apiUrl: string;
  readonly cdnHost: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly signingSecret: string;
  readonly dataDir: string;
}

export interface StepMoment extends Pick<StepEvent, 'stage' | 'moment'> {
  /** Default SIGKILL. With SIGSTOP the process goes on when its parent lets it, once. */
  readonly signal?: 'SIGKILL' | 'SIGSTOP';
}

const options = JSON.parse(process.argv[2] ?? '') as ChildOptions;
let dieAt: StepMoment | undefined;
process.on('message', (message: StepMoment) => {
  dieAt = message;
  process.send?.('armed');
});

await createMasquerade({
  discord: { token: options.token, apiUrl: options.apiUrl },
  attachmentHosts: [options.cdnHost],
  http: { port: 0 },
  mediaApi: {
    baseUrl: options.baseUrl,
    apiKey: options.apiKey,
    signingSecrets: [options.signingSecret],
    requestsPerMinute: 100_000,
  },
  publicUrl: 'loopback',
  dataDir: options.dataDir,
  defaultBudget: { limit: micros(100_000_000), period: 'month', timeZone: 'UTC' },
  jobLimits: { leaseMs: 600, webhookMsMin: 500, pollMsFirst: 200, pollMsMax: 500 },
  onStep: ({ stage, moment }) => {
    if (stage !== dieAt?.stage || moment !== dieAt.moment) return;
    const { signal = 'SIGKILL' } = dieAt;
    dieAt = undefined;
    process.kill(process.pid, signal);
  },
});
process.send?.('ready');
