import { rename, writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Database } from '../../db/database.ts';
import { findJob } from '../../db/queries/jobs.ts';
import { listEntries } from '../../db/queries/ledger-entries.ts';
import type { JobRow } from '../../db/schema.ts';
import { randomId } from '../../src/base/ids.ts';
import { silentLogger } from '../../src/base/log.ts';
import { parseUsd } from '../../src/base/money.ts';
import { Jobs } from '../../src/jobs/jobs.ts';
import type { FinalCard } from '../../src/jobs/ports.ts';
import type { StepEvent } from '../../src/jobs/worker.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import type { MediaApi } from '../../src/media-api/media-api.ts';
import { anOrigin } from '../an-origin.ts';
import { useDatabase } from '../db/use-database.ts';
import { useClient, useStubApi } from '../media-api/use-stub-api.ts';
import { picture } from '../media-server/test-engine.ts';
import { useFolder } from '../use-folder.ts';
import { ScriptedService, type Truth } from './scripted-service.ts';
import { ShiftedClock } from '../shifted-clock.ts';
import { RecordingPublisher } from './use-pipeline.ts';

export type Death = Pick<StepEvent, 'stage' | 'moment'>;

/** What one job came to: everything that must not depend on the way there. */
export interface Ending {
  readonly job: Pick<JobRow, 'stage' | 'outcome' | 'failure' | 'charged_micros' | 'result_message_id'>;
  readonly isKept: boolean;
  readonly hold: unknown;
  readonly entries: readonly unknown[];
  /** Different final cards that the chat was asked to show. */
  readonly cards: readonly unknown[];
  /** Different keys that the service saw. */
  readonly submits: number;
}

const LEASE_MS = 60_000;
const FOR_EVER_MS = 1e12;
const DRAIN_TURNS_MAX = 4_000;
/** Nothing ends only because it took long, so that there is one right end. */
const PATIENT = {
  prepareMsMax: FOR_EVER_MS,
  submitMsMax: FOR_EVER_MS,
  unknownJobMs: FOR_EVER_MS,
  chargeMsMax: FOR_EVER_MS,
  collectMsMax: FOR_EVER_MS,
  postMsMax: FOR_EVER_MS,
  staleMs: FOR_EVER_MS,
};

/** A database and a client of the service that one job after the other is played on. */
export class StageMachine {
  readonly db: Database;
  readonly clock: ShiftedClock = new ShiftedClock();
  readonly #api: MediaApi;
  readonly #dataDir: string;
  readonly #file: Uint8Array;
  readonly #serve: (service: ScriptedService) => void;
  #count = 0;

  constructor(parts: {
    db: Database;
    api: MediaApi;
    dataDir: string;
    file: Uint8Array;
    serve: (service: ScriptedService) => void;
  }) {
    this.db = parts.db;
    this.#api = parts.api;
    this.#dataDir = parts.dataDir;
    this.#file = parts.file;
    this.#serve = parts.serve;
  }

  /** Takes one job on; `deaths` are what its workers die of, each once. */
  async begin(truth: Truth, options: { isHolding: boolean; deaths: readonly Death[] }): Promise<PlayedJob> {
    const name = `${(this.#count += 1)}`;
    const picture = this.#file;
    const service = new ScriptedService({
      id: `srv_${name}`,
      truth,
      isHolding: options.isHolding,
      picture,
    });
    this.#serve(service);
    const job = new PlayedJob({ machine: this, service, deaths: [...options.deaths], name });
    await job.restart();
    await job.accept(picture.length);
    return job;
  }

  open(publisher: RecordingPublisher, onStep: (event: StepEvent) => void): Promise<Jobs> {
    const { db, clock } = this;
    return Jobs.open({
      db,
      clock,
      onStep,
      publisher,
      dataDir: this.#dataDir,
      log: silentLogger,
      api: this.#api,
      ledger: new Ledger({ clock, defaultBudget: { limit: parseUsd(10), period: 'month', timeZone: 'UTC' } }),
      fetcher: {
        fetch: async ({ toPath }) => {
          // Whole or not at all, as the port promises: an overtaken worker may write while another reads.
          const part = `${toPath}.${randomId('part')}`;
          await writeFile(part, this.#file);
          await rename(part, toPath);
          return { sizeBytes: this.#file.length, sha256: 'unused' };
        },
      },
      callbackUrl: (token) => `http://127.0.0.1/${token}`,
      limits: { ...PATIENT, leaseMs: LEASE_MS, pollMsFirst: 50, pollMsMax: 1_000, webhookMsMin: 5_000 },
    });
  }
}

/** One job, with all that may happen to it. */
export class PlayedJob {
  readonly service: ScriptedService;
  readonly #machine: StageMachine;
  readonly #publisher = new RecordingPublisher();
  readonly #deaths: Death[];
  readonly #name: string;
  readonly #workers: Jobs[] = [];
  #steps = 0;
  #id = '';

  constructor(parts: { machine: StageMachine; service: ScriptedService; deaths: Death[]; name: string }) {
    this.#machine = parts.machine;
    this.service = parts.service;
    this.#deaths = parts.deaths;
    this.#name = parts.name;
  }

  async accept(sizeBytes: number): Promise<void> {
    const source = { from: 'chat', url: 'https://cdn.example/x', sizeBytes } as const;
    const outcome = await this.#jobs.intake.accept({
      ...anOrigin({
        interactionId: this.#name,
        guildId: this.#name,
        receivedAtMs: this.#machine.clock.now(),
      }),
      capability: 'photo_swap',
      parameters: {},
      inputs: [
        { field: 'image_key', option: 'image', kind: 'image', source },
        { field: 'face_key', option: 'face', kind: 'image', source },
      ],
    });
    if (!outcome.accepted) throw new Error('The job was refused');
    this.#id = outcome.jobId;
    await this.#jobs.intake.acknowledged(this.#id, null);
  }

  /** Stops every worker in the midst of what it does, and starts another one. */
  async restart(): Promise<void> {
    await this.end();
    await this.takeOver();
  }

  /** Another process joins in, while the ones before it go on. */
  async takeOver(): Promise<void> {
    const jobs = await this.#machine.open(this.#publisher, (event) => this.#observe(event));
    this.#workers.push(jobs);
    await jobs.start();
  }

  async later(ms: number): Promise<void> {
    this.#machine.clock.shift(ms);
    for (const jobs of this.#workers) await jobs.intake.acknowledged('nobody', null);
  }

  /** The service tells by webhook what the job is in `state`; the same `copy` is a repeat. Nothing before the submit. */
  async webhook(state: number, copy: number): Promise<void> {
    if (this.service.exists)
      await this.#deliver(this.service.tell(state), `d_${this.#name}_${state}_${copy}`);
  }

  /** A webhook of another job comes by the path of this one. */
  async strangeWebhook(): Promise<void> {
    const told = {
      id: `other_${this.#name}`,
      status: 'failed',
      output_url: null,
      charged_usd: 0,
      error: null,
    };
    await this.#deliver(told, `s_${this.#name}`);
  }

  /** The chat takes the next card, but its answer is lost. */
  loseNextAnswerOfChat(): void {
    this.#publisher.answers.unshift(() => Promise.reject(new Error('No answer')));
  }

  /** Lets time and everything held back go on until the job is settled. */
  async drain(): Promise<Ending> {
    this.service.finish();
    this.service.release();
    for (let turn = 0; turn < DRAIN_TURNS_MAX; turn++) {
      const { stage } = await this.row();
      if (stage === 'settled') return this.ending();
      // A step that runs is not hurried, or its lease would run out for ever.
      if (this.#steps === 0 && turn % 2 === 1) await this.later(turn % 8 === 7 ? LEASE_MS : 1_000);
      else await wait(1);
    }
    const { stage, attempts, due_at_ms: due } = await this.row();
    throw new Error(
      `Stuck in ${stage} after ${attempts} attempts, due in ${due - this.#machine.clock.now()} ms`,
    );
  }

  async row(): Promise<JobRow> {
    const row = await findJob(this.#machine.db.kysely, this.#id);
    if (!row) throw new Error('There is no such job');
    return row;
  }

  async ending(): Promise<Ending> {
    const { db } = this.#machine;
    const { stage, outcome, failure, charged_micros, result_message_id, result_path } = await this.row();
    const hold = await db.kysely
      .selectFrom('holds')
      .select(['state', 'amount_micros', 'charged_micros', 'overrun_micros'])
      .where('subject', '=', this.#id)
      .executeTakeFirst();
    const entries = await listEntries(db.kysely, this.#id, 100);
    const cards = new Set(this.#publisher.cards.map((card) => JSON.stringify(shown(card))));
    return {
      job: { stage, outcome, failure, charged_micros, result_message_id },
      isKept: result_path !== null,
      hold,
      entries: entries.map(({ kind, amount_micros: micros }) => ({ kind, micros })),
      cards: [...cards].map((card) => JSON.parse(card) as unknown),
      submits: this.service.keys.size,
    };
  }

  async end(): Promise<void> {
    await Promise.all(this.#workers.splice(0).map((jobs) => jobs[Symbol.asyncDispose]()));
  }

  get #jobs(): Jobs {
    const jobs = this.#workers.at(-1);
    if (!jobs) throw new Error('No worker runs');
    return jobs;
  }

  async #deliver(data: unknown, deliveryId: string): Promise<void> {
    const { callback_token: callbackToken } = await this.row();
    const event = { event: 'job', sent_at: new Date(0).toISOString(), delivery_id: deliveryId, data };
    const serviceJobId = (data as { id: string }).id;
    const body = Buffer.from(JSON.stringify(event));
    await this.#jobs.inbox.receive({ deliveryId, serviceJobId, callbackToken, body });
  }

  /** Counts the running steps. What it throws keeps the worker from going on with the step, as a death would. */
  #observe({ stage, moment }: StepEvent): void {
    if (moment === 'effected') this.#steps -= 1;
    const index = this.#deaths.findIndex((death) => death.stage === stage && death.moment === moment);
    if (index >= 0) {
      this.#deaths.splice(index, 1);
      throw new Error(`Died in ${stage}, ${moment}`);
    }
    if (moment === 'starting') this.#steps += 1;
  }
}

/** What a member sees, but for durations. */
function shown(card: FinalCard): unknown {
  const { kind, charged, budget } = card;
  return { kind, charged, left: budget.left, ...(card.kind === 'failure' ? { failure: card.failure } : {}) };
}

/** The machine for one test; all of it is gone when the test ends. */
export async function useStageMachine(): Promise<StageMachine> {
  let service: ScriptedService | undefined;
  const stub = await useStubApi((request, response, read) => service?.answer(request, response, read));
  const db = await useDatabase();
  const machine = new StageMachine({
    db,
    api: useClient(stub, { requestsPerMinute: 100_000 }),
    dataDir: await useFolder(),
    file: await picture(120),
    serve: (next) => void (service = next),
  });
  onTestFinished(() => service?.release());
  return machine;
}
