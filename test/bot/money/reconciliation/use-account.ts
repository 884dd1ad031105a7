import { onTestFinished } from 'vitest';
import type { Database } from '../../../../db/database.ts';
import { insertJob } from '../../../../db/queries/jobs.ts';
import { sumAccounts } from '../../../../db/queries/ledger-entries.ts';
import { listAllSuggestions } from '../../../../db/queries/usage-owners.ts';
import type { NewJob } from '../../../../db/schema/jobs.ts';
import type { HoldRow } from '../../../../db/schema/ledger.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { micros } from '../../../../src/base/money.ts';
import { Ledger } from '../../../../src/bot/money/ledger/ledger.ts';
import { type Difference, verifyLedger } from '../../../../src/bot/money/ledger/verify-ledger.ts';
import { SUBMIT_SEGMENT, type WireJob, type WireUsageRecord } from '../../../../src/media-api/wire.ts';
import { ForeignUse } from '../../../../src/bot/money/ledger/foreign-use.ts';
import type {
  ReconcileContext,
  ReconciliationNotes,
} from '../../../../src/bot/money/reconciliation/reconcile-context.ts';
import {
  RECONCILIATION_LIMITS,
  Reconciliation,
} from '../../../../src/bot/money/reconciliation/reconciliation.ts';
import type { Report } from '../../../../src/bot/money/reconciliation/report.ts';
import { aJob } from '../../../db/a-job.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { aHold } from '../ledger/a-hold.ts';
import { BOUNDS, type UsageLogOptions, summaryOf, usageLog } from '../../../media-api/usage-log.ts';
import { type Reply, json, refuse, useClient, useStubApi } from '../../../media-api/use-stub-api.ts';
import { recordingLogger } from '../../../helpers/recording-logger.ts';
import { NO_NOTES } from './no-notes.ts';

const MINUTE_MS = 60_000;
const CENT = 10_000;

/** Creates a quote from a rate card, as it is stored with a hold. */
export function aQuote(amounts: { readonly price: number; readonly hold: number }): string {
  const rate = { rate: amounts.price, unit: null, minimum: null, estimatedHold: amounts.hold };
  return JSON.stringify({ source: 'card', units: 1, isKnown: true, margin: 1.25, rate, ...amounts });
}

/** The properties of one of the bot's jobs that a test may choose. */
export interface OurJob {
  readonly guildId?: string;
  readonly capability?: keyof typeof SUBMIT_SEGMENT;
  readonly heldCents?: number;
  /** The amount that the member was quoted. Default: the real cost. */
  readonly quotedCents?: number;
  /** The price at the service in cents; null if the service has no record. Default 4. */
  readonly cents?: number | null;
  readonly status?: 'succeeded' | 'failed';
  /** The state of the hold. Default: `posted`, at the real cost. */
  readonly books?: 'posted' | 'pending' | 'review';
  readonly bookedCents?: number;
  readonly row?: Partial<NewJob>;
}

/** An account at a scripted service, and the books of a bot that uses it. */
export class AccountBench {
  readonly clock: FakeClock = new FakeClock();
  readonly records: WireUsageRecord[] = [];
  readonly jobs: Map<string, WireJob> = new Map();
  readonly logged: string[] = [];
  readonly drifts: Report[] = [];
  readonly failures: Parameters<ReconciliationNotes['chargedFailure']>[0][] = [];
  quiets = 0;
  readonly database: Database;
  readonly ledger: Ledger;
  readonly hasEqualIds: boolean;
  log: UsageLogOptions = { read: BOUNDS.iso };
  /** How far the service's clock is ahead when it records sessions, in milliseconds. */
  skewMs = 0;
  /** The amount that the account had spent before its records began, in cents. */
  earlierCents = 0;

  constructor(database: Database, hasEqualIds: boolean) {
    this.database = database;
    this.hasEqualIds = hasEqualIds;
    const defaultBudget = { limit: micros(1e9), period: 'month', timeZone: 'UTC' } as const;
    this.ledger = new Ledger({ clock: this.clock, defaultBudget });
  }

  /** Creates a foreign call, and advances the clock by one minute. Returns the record's id. */
  async foreign(cents: number, changes: Partial<WireUsageRecord> = {}): Promise<string> {
    const id = `other_${this.records.length}`;
    this.records.push({ ...this.#record(id, 'avatar', cents), ...changes });
    await this.clock.advance(MINUTE_MS);
    return id;
  }

  /**
   * Creates a job that is accepted now and ends five minutes later, and advances the clock by that time. Returns its
   * subject.
   */
  async job(name: string, our: OurJob = {}): Promise<string> {
    const { guildId = 'guild', capability = 'photo_swap', cents = 4, status = 'succeeded', row } = our;
    const subject = `job_${name}`;
    const acceptedAtMs = this.clock.now();
    const amount = micros((our.heldCents ?? 10) * CENT);
    const rateCard = aQuote({ price: (our.quotedCents ?? cents ?? 4) * CENT, hold: amount });
    const hold = { ...aHold(subject, amount), guildId, capability, rateCard };
    await this.database.transaction(`guild:${guildId}`, (trx) => this.ledger.hold(trx, hold));
    await this.clock.advance(2 * MINUTE_MS);
    if (cents !== null) this.#serve(name, { capability, cents, status });
    await this.clock.advance(3 * MINUTE_MS);
    const booked = our.bookedCents ?? cents;
    const isKnown = (our.books ?? 'posted') === 'posted' && booked !== null;
    await this.database.transaction(`guild:${guildId}`, async (trx) => {
      await insertJob(trx, {
        ...aJob(name, { guild_id: guildId, capability, stage: 'settled', outcome: status }),
        service_job_id: `srv_${name}`,
        service_status: status,
        accepted_at_ms: acceptedAtMs,
        submit_from_ms: acceptedAtMs,
        submit_to_ms: acceptedAtMs + 3 * MINUTE_MS,
        finished_at_ms: this.clock.now(),
        settled_at_ms: this.clock.now(),
        charged_micros: isKnown ? micros(booked * CENT) : null,
        ...row,
      });
      if (our.books === 'review') await this.ledger.review(trx, { subject });
      if (isKnown) await this.ledger.post(trx, { subject, charged: micros(booked * CENT) });
    });
    return subject;
  }

  /** Creates a comparison as another bot process would, with the same books. */
  reconciliation(
    changes: Partial<ConstructorParameters<typeof Reconciliation>[0]> = {},
    baseUrl: string = this.baseUrl,
  ): Reconciliation {
    const made = new Reconciliation({
      db: this.database,
      ledger: this.ledger,
      api: useClient({ baseUrl }),
      clock: this.clock,
      log: recordingLogger(this.logged),
      notes: {
        otherUse: async (report) => void this.drifts.push(report),
        chargedFailure: async (failure) => void this.failures.push(failure),
        quiet: async () => void (this.quiets += 1),
      },
      ...changes,
    });
    onTestFinished(() => made[Symbol.asyncDispose]());
    return made;
  }

  baseUrl = '';

  /** Returns the context for single steps of a comparison. Notes are discarded. */
  context(): ReconcileContext {
    const { database: db, ledger, clock } = this;
    return {
      db,
      ledger,
      clock,
      api: useClient(this),
      foreignUse: new ForeignUse({ clock }),
      log: recordingLogger(this.logged),
      notes: NO_NOTES,
      limits: RECONCILIATION_LIMITS,
    };
  }

  /** Compares once, as a process that has just started would. */
  async compare(): Promise<Report> {
    const reconciliation = this.reconciliation();
    const report = await reconciliation.run();
    await reconciliation[Symbol.asyncDispose]();
    if (!report) throw new Error(`There was no comparison: ${this.logged.at(-1)}`);
    return report;
  }

  /**
   * Changes the price of a call in the service's log and, if `job` is given, also the price that the service reports
   * for that job.
   */
  reprice(index: number, cents: number, options: { readonly job?: string } = {}): void {
    const record = this.records[index];
    if (!record) throw new TypeError('There is no such record');
    this.records[index] = { ...record, charged_usd: cents / 100 };
    const job = this.jobs.get(`srv_${options.job}`);
    if (job) this.jobs.set(job.id, { ...job, charged_usd: cents / 100 });
  }

  hold(subject: string): Promise<HoldRow> {
    return this.database.kysely
      .selectFrom('holds')
      .selectAll()
      .where('subject', '=', subject)
      .executeTakeFirstOrThrow();
  }

  /** Returns the sums of the entries in cents, for a guild, or for foreign use (''). */
  async cents(guildId: string): Promise<{ spent: number; pending: number; foreign: number }> {
    const { spent, pending, unattributed } = await sumAccounts(this.database.kysely, guildId);
    return { spent: spent / CENT, pending: pending / CENT, foreign: unattributed / CENT };
  }

  /** Returns the suggestions for the operator: each hold, the record that may belong to it, and its charge in cents. */
  async suggestions(): Promise<readonly (readonly [string, string, number])[]> {
    const found = await listAllSuggestions(this.database.kysely, 100);
    return found.map(({ subject, record_id: id, charged_micros: charged }) => [subject, id, charged / CENT]);
  }

  /** Returns every stored figure that differs from the sum of its entries. */
  async differences(): Promise<readonly Difference[]> {
    const found: Difference[] = [];
    await verifyLedger(this.database.kysely, (difference) => void found.push(difference));
    return found;
  }

  async entries(): Promise<number> {
    return (await this.database.kysely.selectFrom('ledger_entries').select('id').execute()).length;
  }

  /** Handles requests to the service. */
  readonly answer: Reply = async (request, response, read) => {
    const url = new URL(request.url ?? '', 'http://x');
    if (url.pathname.includes('/jobs/')) {
      const job = this.jobs.get(url.pathname.split('/').at(-1) ?? '');
      return (job ? json(200, job) : refuse(404, 'not_found'))(request, response, read);
    }
    if (url.pathname.endsWith('/balance')) return json(200, this.#balance())(request, response, read);
    if (url.pathname.endsWith('/summary') && !url.search.includes('from')) {
      const summary = { ...summaryOf(this.records), total_spent_usd: this.#spentUsd() };
      return json(200, summary)(request, response, read);
    }
    return usageLog(this.records, this.log)(request, response, read);
  };

  #serve(name: string, what: Required<Pick<OurJob, 'capability' | 'status'>> & { cents: number }): void {
    const id = this.hasEqualIds ? `srv_${name}` : `record_${this.records.length}`;
    const { capability, cents, status } = what;
    this.records.push({ ...this.#record(id, capability, cents), status });
    this.jobs.set(`srv_${name}`, {
      id: `srv_${name}`,
      status,
      output_url: null,
      charged_usd: cents / 100,
      error: null,
    });
  }

  #record(id: string, feature: keyof typeof SUBMIT_SEGMENT, cents: number): WireUsageRecord {
    return {
      id,
      endpoint: SUBMIT_SEGMENT[feature],
      feature,
      status: 'succeeded',
      charged_usd: cents / 100,
      reason: null,
      created_at: new Date(this.clock.now()).toISOString(),
    };
  }

  #spentUsd(): number {
    const spent = this.records.reduce((sum, { charged_usd: usd }) => sum + Math.round(usd * 1e6), 0);
    return (spent + this.earlierCents * CENT) / 1e6;
  }

  #balance(): object {
    const spent = this.#spentUsd();
    return {
      balance_usd: Math.round((25 - spent) * 1e6) / 1e6,
      total_spent_usd: spent,
      total_topped_up_usd: 25,
      spent_this_week_usd: 0,
      spent_this_month_usd: 0,
      spent_this_year_usd: 0,
    };
  }
}

/** Creates an account that has not been used yet. The books have been compared once, as a bot does when it starts. */
export async function useAccount(
  options: { readonly hasEqualIds?: boolean; readonly path?: string; readonly isNew?: boolean } = {},
): Promise<AccountBench> {
  const bench = new AccountBench(await useDatabase(options.path), options.hasEqualIds ?? true);
  bench.baseUrl = (await useStubApi(bench.answer)).baseUrl;
  if (options.isNew !== false) {
    await bench.compare();
    await bench.clock.advance(MINUTE_MS);
  }
  return bench;
}
