import type { Clock } from '../base/clock.ts';
import { randomId } from '../base/ids.ts';
import { type MicroUsd, micros } from '../base/money.ts';
import { type PricedCapability, SESSION_CAPABILITIES, type WireBalance } from '../media-api/wire.ts';
import type { Billing } from './billing/billing.ts';
import type { Jobs } from './jobs/jobs.ts';
import { consolePasswordMark, makeConsolePassword } from './accounts/console-password.ts';
import { createApiKey } from './accounts/keys.ts';
import type { SigningSecrets } from './accounts/signing-secrets.ts';
import { type AccountRow, findAccount, insertAccount, listAccounts } from './store/accounts.ts';
import {
  type ApiKeyRow,
  findKey,
  listApiKeys,
  revokeApiKey,
  setKeyRequestsPerMinute,
} from './store/api-keys.ts';
import type { Database } from './store/database.ts';
import { type DeliveryRow, findDelivery } from './store/deliveries.ts';
import { type CapabilitySwitch, listCapabilities } from './store/capabilities.ts';
import { type JobRow, findJob } from './store/jobs.ts';
import {
  type Rate,
  deleteRate,
  hasOwnRate,
  resolveRate,
  switchCapability,
  writeRate,
} from './store/rates.ts';
import { CEILINGS, type Ceiling, findSetting, writeSetting } from './store/settings.ts';

interface AdminOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly billing: Billing;
  readonly jobs: Jobs;
  readonly signing: SigningSecrets;
  /** The account meant when a call names none. */
  readonly accountId: string;
  /** Of keys created without a limit of their own. */
  readonly requestsPerMinute: number;
}

/** What binds for a capability. */
export interface RateInForce extends Rate {
  readonly feature: PricedCapability;
  /** The account's negotiated rate rather than the public one. */
  readonly isNegotiated: boolean;
  /** Then only the rate counts, per minute: sessions have no minimum and reserve by their length. */
  readonly isOfSession: boolean;
}

interface CeilingInForce {
  readonly name: Ceiling;
  readonly what: string;
  /** The most that it can be set to. */
  readonly max: number;
  /** Null: never set here, so that the server's own default binds. */
  readonly value: number | null;
}

/** The administrator's console as functions. Each change takes effect with the next request, without a restart. */
export class MediaAdmin {
  readonly #options: AdminOptions;

  constructor(options: AdminOptions) {
    this.#options = options;
  }

  /** The account meant when a call names none. */
  get accountId(): string {
    return this.#options.accountId;
  }

  /** Of keys created without a limit of their own. */
  get requestsPerMinute(): number {
    return this.#options.requestsPerMinute;
  }

  /** Opens an empty account and returns its id. */
  createAccount(name: string): string {
    const id = randomId('acc');
    insertAccount(this.#options.db, { id, name, createdAt: this.#options.clock.now() });
    return id;
  }

  listAccounts(): readonly AccountRow[] {
    return listAccounts(this.#options.db);
  }

  findAccount(accountId: string): AccountRow | undefined {
    return findAccount(this.#options.db, accountId);
  }

  /** Creates a key. Its `text` is returned here and never again. */
  createKey(options: {
    name: string;
    accountId?: string | undefined;
    requestsPerMinute?: number | undefined;
  }): { readonly id: string; readonly text: string } {
    const { db, clock, accountId, requestsPerMinute } = this.#options;
    return createApiKey(db, clock, {
      accountId: options.accountId ?? accountId,
      name: options.name,
      requestsPerMinute: positive(options.requestsPerMinute ?? requestsPerMinute),
    });
  }

  /** The account's keys, or all, without their texts. */
  listKeys(accountId?: string): readonly ApiKeyRow[] {
    return listApiKeys(this.#options.db, accountId);
  }

  findKey(keyId: string): ApiKeyRow | undefined {
    return findKey(this.#options.db, keyId);
  }

  /** The key's next request is refused. Says whether it was live. */
  revokeKey(keyId: string): boolean {
    return revokeApiKey(this.#options.db, keyId, this.#options.clock.now());
  }

  /** Says whether there is such a key. */
  setRequestsPerMinute(keyId: string, requestsPerMinute: number): boolean {
    return setKeyRequestsPerMinute(this.#options.db, keyId, positive(requestsPerMinute));
  }

  /** The account's webhook secret, made when first asked for. */
  signingSecret(accountId: string = this.#options.accountId): string {
    return this.#options.signing.current(accountId);
  }

  /** Replaces the webhook secret; API keys stay. For `overlapMs` (default 0) deliveries carry both signatures. */
  rotateSigningSecret(
    options: { accountId?: string | undefined; overlapMs?: number | undefined } = {},
  ): string {
    const { accountId = this.#options.accountId, overlapMs } = options;
    return this.#options.signing.rotate(accountId, { overlapMs });
  }

  /** Adds prepaid balance. */
  topUp(amount: MicroUsd, accountId: string = this.#options.accountId): void {
    this.#options.billing.topUp(accountId, micros(positive(amount)));
  }

  /** The six numbers of `GET /v1/balance`. */
  balance(accountId: string = this.#options.accountId): WireBalance {
    return this.#options.billing.balance(accountId);
  }

  /** The rate of each capability: the public ones, or those that bind an account. */
  listRates(accountId?: string): readonly RateInForce[] {
    const { db } = this.#options;
    return listCapabilities(db).map(({ feature }) => ({
      feature,
      ...resolveRate(db, feature, accountId),
      isNegotiated: accountId !== undefined && hasOwnRate(db, feature, accountId),
      isOfSession: SESSION_CAPABILITIES.some((session) => session === feature),
    }));
  }

  /**
   * Sets the public rate, or an account's negotiated one, for jobs submitted and sessions opened from now on. Of
   * sessions only the rate (per minute) counts: they have no minimum and reserve by their length.
   */
  setRate(feature: PricedCapability, rate: Rate, accountId?: string): void {
    writeRate(this.#options.db, feature, accountId, rate);
  }

  /** Sets some amounts of the rate in force and leaves the others; an account's rate begins as a copy of the public one. */
  changeRate(feature: PricedCapability, changes: Partial<Rate>, accountId?: string): Rate {
    const { db } = this.#options;
    return db.transact(() => {
      const { rate, minimum, hold } = resolveRate(db, feature, accountId);
      const changed = { rate, minimum, hold, ...changes };
      writeRate(db, feature, accountId, changed);
      return changed;
    });
  }

  /** Takes an account's negotiated rate away. Says whether it had one. */
  resetRate(feature: PricedCapability, accountId: string): boolean {
    return deleteRate(this.#options.db, feature, accountId);
  }

  /** Every capability known here, those without an engine among them. */
  listCapabilities(): readonly CapabilitySwitch[] {
    return listCapabilities(this.#options.db);
  }

  /** Says whether the capability is offered here. */
  switchCapability(feature: PricedCapability, enabled: boolean): boolean {
    return switchCapability(this.#options.db, feature, enabled);
  }

  listCeilings(): readonly CeilingInForce[] {
    const names = Object.keys(CEILINGS) as Ceiling[];
    return names.map((name) => ({
      name,
      ...CEILINGS[name],
      value: findSetting(this.#options.db, name) ?? null,
    }));
  }

  /** Sets a ceiling; by default that of queued and processing jobs at once. Throws `RangeError` beyond its most. */
  setCeiling(value: number, name: Ceiling = 'jobsInFlightMax'): void {
    if (value > CEILINGS[name].max)
      throw new RangeError(`Cannot set ${value}: wants ${CEILINGS[name].max} or less`);
    writeSetting(this.#options.db, name, positive(value));
  }

  /** The job, of whichever account. */
  findJob(jobId: string): JobRow | undefined {
    return findJob(this.#options.db, jobId);
  }

  /** Ends a job as failed with a full refund. False when it had ended or never was. */
  cancelJob(jobId: string): boolean {
    return this.#options.jobs.end(jobId, {
      status: 'failed',
      errorCode: 'processing_failed',
      reason: 'cancelled',
    });
  }

  /** Makes a password of the console page; whoever was logged in with the one before is out. Returned only here. */
  newConsolePassword(): string {
    return makeConsolePassword(this.#options.db);
  }

  /** The same, but only if there never was one; undefined otherwise. */
  firstConsolePassword(): string | undefined {
    const { db } = this.#options;
    return db.transact(() => (consolePasswordMark(db) === undefined ? makeConsolePassword(db) : undefined));
  }

  /** How a job's webhook stands, if it wants one and has ended. */
  delivery(jobId: string): DeliveryRow | undefined {
    return findDelivery(this.#options.db, jobId);
  }
}

function positive(value: number): number {
  if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`Cannot set ${value}: wants 1 or more`);
  return value;
}
