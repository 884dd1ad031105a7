import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../../../db/database.ts';
import { findJob } from '../../../../db/queries/jobs.ts';
import { listEntries } from '../../../db/list-entries.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { Jobs } from '../../../../src/bot/jobs/jobs.ts';
import type { FinalCard } from '../../../../src/bot/jobs/cards.ts';
import type { StepEvent } from '../../../../src/bot/jobs/run/worker.ts';
import { anOrigin } from '../../../helpers/an-origin.ts';
import type { ShiftedClock } from '../../../helpers/shifted-clock.ts';
import type { ScriptedService } from './scripted-service.ts';
import { RecordingPublisher } from '../use-pipeline.ts';

export type Death = Pick<StepEvent, 'stage' | 'moment'>;

/** The outcome of one job: everything that must be the same whatever happened before. */
export interface Ending {
  readonly job: Pick<JobRow, 'stage' | 'outcome' | 'failure' | 'charged_micros' | 'result_message_id'>;
  readonly isKept: boolean;
  readonly hold: unknown;
  readonly entries: readonly unknown[];
  /** The different final cards that the chat was asked to show. */
  readonly cards: readonly unknown[];
  /** The number of different idempotency keys that the service received. */
  readonly submits: number;
}

/** The environment in which jobs are played. */
export interface Bench {
  readonly db: Database;
  readonly clock: ShiftedClock;
  /** Creates another set of workers on the same database, as a second process would. */
  open(publisher: RecordingPublisher, onStep: (event: StepEvent) => void): Promise<Jobs>;
}

/** How long a worker's lease on a step lasts. */
export const LEASE_MS = 60_000;
const DRAIN_TURNS_MAX = 4_000;

/** One job, with a method for every event that may happen to it. */
export class PlayedJob {
  readonly service: ScriptedService;
  readonly #machine: Bench;
  readonly #publisher = new RecordingPublisher();
  readonly #deaths: Death[];
  readonly #name: string;
  readonly #workers: Jobs[] = [];
  #steps = 0;
  #died = 0;
  #id = '';

  constructor(parts: { machine: Bench; service: ScriptedService; deaths: Death[]; name: string }) {
    this.#machine = parts.machine;
    this.service = parts.service;
    this.#deaths = parts.deaths;
    this.#name = parts.name;
  }

  /** The number of worker deaths so far. */
  get deaths(): number {
    return this.#died;
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

  /** Stops every worker in the middle of its step, and starts a new one. */
  async restart(): Promise<void> {
    await this.end();
    await this.takeOver();
  }

  /** Starts another worker while the earlier ones continue. */
  async takeOver(): Promise<void> {
    const jobs = await this.#machine.open(this.#publisher, (event) => this.#observe(event));
    this.#workers.push(jobs);
    await jobs.start();
  }

  async later(ms: number): Promise<void> {
    this.#machine.clock.shift(ms);
    for (const jobs of this.#workers) await jobs.intake.acknowledged('nobody', null);
  }

  /**
   * Sends a webhook that reports the job in `state`, if it was submitted. A second call with the same `state` and
   * `copy` is a repeated delivery.
   */
  async webhook(state: number, copy: number): Promise<void> {
    if (this.service.exists)
      await this.#deliver(this.service.tell(state), `d_${this.#name}_${state}_${copy}`);
  }

  /** Sends a webhook about another job to this job's path. */
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

  /** Makes the chat accept the next card, but lose its response. */
  loseNextAnswerOfChat(): void {
    this.#publisher.answers.unshift(() => Promise.reject(new Error('No answer')));
  }

  /** Releases everything that is held back, and advances the clock until the job is settled. */
  async drain(): Promise<Ending> {
    this.service.finish();
    this.service.release();
    for (let turn = 0; turn < DRAIN_TURNS_MAX; turn++) {
      const { stage } = await this.row();
      if (stage === 'settled') return this.ending();
      await wait(1);
      // The clock stands still while a step runs. Otherwise, the step's lease would expire again and again.
      while (this.#steps > 0) await wait(1);
      if (turn % 2 === 1) await this.later(turn % 8 === 7 ? LEASE_MS : 1_000);
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
    const entries = await listEntries(db.kysely, this.#id);
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

  /**
   * Counts the running steps. Throws an error for a planned death, which stops the worker in the middle of the step.
   */
  #observe({ stage, moment }: StepEvent): void {
    if (moment === 'effected') this.#steps -= 1;
    const index = this.#deaths.findIndex((death) => death.stage === stage && death.moment === moment);
    if (index >= 0) {
      this.#deaths.splice(index, 1);
      this.#died += 1;
      throw new Error(`Died in ${stage}, ${moment}`);
    }
    if (moment === 'starting') this.#steps += 1;
  }
}

/** Returns the part of a card that a member sees, except for durations. */
function shown(card: FinalCard): unknown {
  const { kind, charged, budget } = card;
  return { kind, charged, left: budget.left, ...(card.kind === 'failure' ? { failure: card.failure } : {}) };
}
