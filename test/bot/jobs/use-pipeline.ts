import { writeFile } from 'node:fs/promises';
import { expect, onTestFinished } from 'vitest';
import type { Database } from '../../../db/database.ts';
import { findJob } from '../../../db/queries/jobs.ts';
import type { JobRow } from '../../../db/schema/jobs.ts';
import type { HoldRow } from '../../../db/schema/ledger.ts';
import { parseUsd } from '../../../src/base/money.ts';
import type { CallOrigin } from '../../../src/bot/jobs/call-origin.ts';
import type { JobLimits } from '../../../src/bot/jobs/job-limits.ts';
import { Jobs } from '../../../src/bot/jobs/jobs.ts';
import { JobFiles } from '../../../src/bot/jobs/results/job-files.ts';
import type { FinalCard, PriceCard, ProgressCard } from '../../../src/bot/jobs/cards.ts';
import { SUBMIT_SEGMENT } from '../../../src/media-api/wire.ts';
import { Ledger } from '../../../src/bot/money/ledger/ledger.ts';
import { useDatabase } from '../../db/use-database.ts';
import {
  type Received,
  type Reply,
  json,
  refuse,
  useClient,
  useStubApi,
} from '../../media-api/use-stub-api.ts';
import { picture } from '../../media-server/test-engine.ts';
import { anOrigin } from '../../helpers/an-origin.ts';
import { recordingLogger } from '../../helpers/recording-logger.ts';
import { ShiftedClock } from '../../helpers/shifted-clock.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { sharedMediaPool } from '../../helpers/use-media-pool.ts';
import type {
  AskOptions,
  JobPublisher,
  Outdated,
  PostedMessage,
  Published,
} from '../../../src/bot/jobs/job-publisher.ts';
import type { InputFetcher } from '../../../src/bot/jobs/inputs/input-fetcher.ts';
import type { JobRequest } from '../../../src/bot/jobs/job-request.ts';

/** Records the cards, and responds with `answers` one after the other; the last one repeats. */
export class RecordingPublisher implements JobPublisher {
  readonly cards: FinalCard[] = [];
  onPublish: (signal: AbortSignal) => void = () => undefined;
  answers: (() => Promise<Published>)[] = [
    () => Promise.resolve({ outcome: 'posted', messageId: '1' } as const),
  ];

  readonly removed: PostedMessage[] = [];

  readonly progress: ProgressCard[] = [];
  /** The cards that asked members to confirm a price. */
  readonly asked: PriceCard[] = [];
  onAsk: () => Promise<Published> = () => Promise.resolve({ outcome: 'posted', messageId: '1' });

  showProgress(_target: unknown, card: ProgressCard): void {
    this.progress.push(card);
  }

  async ask(_target: unknown, card: PriceCard, { isTrue }: AskOptions): Promise<Published | Outdated> {
    if (!(await isTrue())) return { outcome: 'outdated' };
    this.asked.push(card);
    return this.onAsk();
  }

  remove(message: PostedMessage): Promise<boolean> {
    this.removed.push(message);
    return Promise.resolve(true);
  }

  publish(_target: unknown, card: FinalCard, signal: AbortSignal): Promise<Published> {
    this.cards.push(card);
    this.onPublish(signal);
    const answer = this.answers.length > 1 ? this.answers.shift() : this.answers[0];
    if (!answer) throw new TypeError('No answer is left');
    return answer();
  }
}

/** The replies of the service on each of its routes, in order. The last reply on each route repeats. */
export type Script = Record<'upload' | 'submit' | 'job' | 'output' | 'pricing', Reply[]>;

export interface Pipeline {
  readonly jobs: Jobs;
  readonly db: Database;
  readonly dataDir: string;
  readonly clock: ShiftedClock;
  readonly publisher: RecordingPublisher;
  readonly script: Script;
  /** The number of requests to each route. */
  readonly asked: Record<keyof Script, number>;
  readonly logged: readonly string[];
  /** The requests that reached the service, in order. */
  readonly received: readonly Received[];
  /** Accepts a member's command, but does not acknowledge it. Returns the job's id. */
  accept(name?: string, origin?: Partial<CallOrigin>): Promise<string>;
  /** Accepts a member's command and acknowledges it. Returns the job's id. */
  run(name?: string, origin?: Partial<CallOrigin>): Promise<string>;
  row(jobId: string): Promise<JobRow>;
  hold(jobId: string): Promise<HoldRow>;
  /** Advances the clock by `ms`. */
  later(ms: number): Promise<void>;
  /** Advances the clock by `stepMs` at a time until the job is in `stage`. */
  until(jobId: string, stage: JobRow['stage'], stepMs?: number): Promise<JobRow>;
}

/** Returns the job's state as the service reports it. */
export function jobState(changes: Readonly<Record<string, unknown>> = {}): Reply {
  const done = { id: 'srv_1', status: 'succeeded', output_url: '/out?sig=s', charged_usd: 0.04, error: null };
  return json(200, { ...done, ...changes });
}

export function bytes(status: number, body: Uint8Array): Reply {
  return async (_request, response, read) => {
    await read();
    response.writeHead(status, { 'content-type': 'application/octet-stream' }).end(body);
  };
}

export interface PipelineOptions {
  readonly limits?: Partial<JobLimits>;
  readonly start?: boolean;
  /** The database. Default: a new one. */
  readonly db?: Database;
  /** Requests a webhook with every job; the test delivers it. */
  readonly webhooks?: boolean;
  readonly apiKey?: () => string;
  /** The member's files by URL. Default: every URL returns the same picture. */
  readonly files?: ReadonlyMap<string, Uint8Array>;
  /** The sources of inputs that are not files in the chat. */
  readonly sources?: Pick<Parameters<typeof Jobs.open>[0], 'newest' | 'savedFaces' | 'ownerWishes'>;
  /** The access rules and the prices. */
  readonly rules?: Pick<Parameters<typeof Jobs.open>[0], 'gates' | 'spending' | 'prices' | 'publicUrl'>;
}

/**
 * Creates the pipeline with a real database and a real API client. The service follows a script, and the chat accepts
 * everything.
 */
export async function usePipeline(options: PipelineOptions = {}): Promise<Pipeline> {
  const file = await picture(120);
  const script: Script = {
    upload: [json(200, { file_key: 'api/u1', url: 'http://127.0.0.1/u1' })],
    submit: [json(200, { id: 'srv_1', status: 'queued', status_url: '/api/v1/jobs/srv_1' })],
    job: [jobState()],
    output: [bytes(200, file)],
    pricing: [refuse(404, 'not_found')],
  };
  const asked = { upload: 0, submit: 0, job: 0, output: 0, pricing: 0 };
  const stub = await useStubApi(async (request, response, read) => {
    const route = routeOf(request.url ?? '');
    if (!route) return refuse(404, 'not_found')(request, response, read);
    asked[route] += 1;
    const replies = script[route];
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    await reply?.(request, response, read);
  });
  const db = options.db ?? (await useDatabase());
  const clock = new ShiftedClock();
  const publisher = new RecordingPublisher();
  const logged: string[] = [];
  const toDisk: InputFetcher = {
    async fetch({ url, toPath }) {
      await writeFile(toPath, options.files?.get(url) ?? file);
    },
  };
  const dataDir = await useFolder();
  const jobs = await Jobs.open({
    db,
    files: await JobFiles.open(dataDir),
    clock,
    log: recordingLogger(logged),
    api: useClient(stub, {
      requestsPerMinute: 10_000,
      ...(options.apiKey ? { apiKey: options.apiKey } : {}),
      limits: { keyProbeMs: 50 },
    }),
    callbackUrl: options.webhooks ? (token) => `http://127.0.0.1/webhooks/${token}` : undefined,
    ledger: new Ledger({ clock, defaultBudget: { limit: parseUsd(10), period: 'month', timeZone: 'UTC' } }),
    fetcher: toDisk,
    publisher,
    media: sharedMediaPool(),
    ...options.sources,
    ...options.rules,
    limits: { leaseMs: 86_400_000, pollMsFirst: 50, ...options.limits },
  });
  onTestFinished(() => jobs[Symbol.asyncDispose]());
  if (options.start !== false) await jobs.start();

  const row = async (jobId: string): Promise<JobRow> => {
    const found = await findJob(db.kysely, jobId);
    if (!found) throw new Error('There is no such job');
    return found;
  };
  const accept: Pipeline['accept'] = async (name = 'a', origin = {}) => {
    const used = { interactionId: `interaction_${name}`, receivedAtMs: clock.now(), ...origin };
    const outcome = await jobs.intake.accept(aRequest(used, file.length));
    if (!outcome.accepted) throw new Error(`Refused: ${outcome.refusal.reason}`);
    return outcome.jobId;
  };
  const later = async (ms: number): Promise<void> => {
    clock.shift(ms);
    await jobs.intake.acknowledged('nobody', null);
  };
  return {
    jobs,
    db,
    dataDir,
    clock,
    publisher,
    script,
    asked,
    logged,
    received: stub.received,
    row,
    later,
    accept,
    async run(name, origin) {
      const jobId = await accept(name, origin);
      await jobs.intake.acknowledged(jobId, null);
      return jobId;
    },
    hold: (jobId) =>
      db.kysely.selectFrom('holds').selectAll().where('subject', '=', jobId).executeTakeFirstOrThrow(),
    async until(jobId, stage, stepMs = 1_000) {
      let now = await row(jobId);
      await expect
        .poll(
          async () => {
            if (now.stage !== stage && now.lease_owner === null) await later(stepMs);
            now = await row(jobId);
            return now.stage;
          },
          { timeout: 20_000, interval: 10 },
        )
        .toBe(stage);
      return now;
    },
  };
}

function routeOf(url: string): keyof Script | undefined {
  if (url.endsWith('/pricing')) return 'pricing';
  if (url.endsWith('/uploads')) return 'upload';
  if (url.includes('/jobs/')) return 'job';
  if (Object.values(SUBMIT_SEGMENT).some((segment) => url.endsWith(`/${segment}`))) return 'submit';
  return url.startsWith('/out') ? 'output' : undefined;
}

function aRequest(origin: Partial<CallOrigin>, sizeBytes: number): JobRequest {
  const source = { from: 'chat', url: 'https://cdn.example/x', sizeBytes } as const;
  const input = { kind: 'image', source } as const;
  return {
    ...anOrigin(origin),
    capability: 'photo_swap',
    parameters: {},
    inputs: [
      { ...input, field: 'image_key', option: 'image' },
      { ...input, field: 'face_key', option: 'face' },
    ],
  };
}
