import type { Clock } from '../base/clock.ts';
import { randomId } from '../base/ids.ts';
import { type MicroUsd, micros } from '../base/money.ts';
import { type PricedCapability, SESSION_CAPABILITIES, type WireBalance } from '../media-api/wire.ts';
import type { Billing } from './billing/billing.ts';
import type { Jobs } from './jobs/jobs.ts';
import { consolePasswordMark, makeConsolePassword } from './accounts/console-password.ts';
import { createApiKey } from './accounts/api-keys.ts';
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
  /** The account that calls use if they name none. */
  readonly accountId: string;
  /** The rate limit for keys that are created without a limit of their own, in requests per minute. */
  readonly requestsPerMinute: number;
}

/** The rate that applies to a capability. */
export interface RateInForce extends Rate {
  readonly feature: PricedCapability;
  /** Whether it is the account's negotiated rate rather than the public one. */
  readonly isNegotiated: boolean;
  /**
   * Whether the capability is a session. Then only `rate` applies, per minute: sessions have no minimum, and how much
   * they reserve depends on their length.
   */
  readonly isOfSession: boolean;
}

interface CeilingInForce {
  readonly name: Ceiling;
  readonly what: string;
  /** The largest value that the ceiling can be set to. */
  readonly max: number;
  /** The value that an administrator set, or null while the server's default applies. */
  readonly value: number | null;
}

/**
 * The functions of the administrator's console. Each change takes effect with the next request, without a
 * restart.
 */
export class MediaAdmin {
  readonly #options: AdminOptions;

  constructor(options: AdminOptions) {
    this.#options = options;
  }

  /** The account that calls use if they name none. */
  get accountId(): string {
    return this.#options.accountId;
  }

  /** The rate limit for keys that are created without a limit of their own, in requests per minute. */
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

  /** Creates a key and returns its `text`, which cannot be read again later. */
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

  /** Returns the keys of one account, or of all accounts if `accountId` is missing, without their texts. */
  listKeys(accountId?: string): readonly ApiKeyRow[] {
    return listApiKeys(this.#options.db, accountId);
  }

  findKey(keyId: string): ApiKeyRow | undefined {
    return findKey(this.#options.db, keyId);
  }

  /** Revokes a key: its next request is rejected. Returns whether it was still valid. */
  revokeKey(keyId: string): boolean {
    return revokeApiKey(this.#options.db, keyId, this.#options.clock.now());
  }

  /** Sets a key's rate limit. Returns whether the key exists. */
  setRequestsPerMinute(keyId: string, requestsPerMinute: number): boolean {
    return setKeyRequestsPerMinute(this.#options.db, keyId, positive(requestsPerMinute));
  }

  /** Returns the account's webhook secret, which is created when it is first read. */
  signingSecret(accountId: string = this.#options.accountId): string {
    return this.#options.signing.current(accountId);
  }

  /**
   * Replaces the webhook secret; API keys stay valid. For `overlapMs` (default 0) deliveries carry the signatures of
   * the old and the new secret.
   */
  rotateSigningSecret(
    options: { accountId?: string | undefined; overlapMs?: number | undefined } = {},
  ): string {
    const { accountId = this.#options.accountId, overlapMs } = options;
    return this.#options.signing.rotate(accountId, { overlapMs });
  }

  /** Adds to the prepaid balance. */
  topUp(amount: MicroUsd, accountId: string = this.#options.accountId): void {
    this.#options.billing.topUp(accountId, micros(positive(amount)));
  }

  /** Returns the six numbers of `GET /v1/balance`. */
  balance(accountId: string = this.#options.accountId): WireBalance {
    return this.#options.billing.balance(accountId);
  }

  /** Returns the rate of each capability: the public rates, or those that apply to an account. */
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
   * Sets the public rate, or an account's negotiated rate, for jobs and sessions that start from now on. For a session
   * only `rate` (per minute) applies: sessions have no minimum, and how much they reserve depends on their length.
   */
  setRate(feature: PricedCapability, rate: Rate, accountId?: string): void {
    writeRate(this.#options.db, feature, accountId, rate);
  }

  /**
   * Changes the given amounts of the current rate and leaves the others unchanged. An account's negotiated rate starts
   * as a copy of the public one.
   */
  changeRate(feature: PricedCapability, changes: Partial<Rate>, accountId?: string): Rate {
    const { db } = this.#options;
    return db.transact(() => {
      const { rate, minimum, hold } = resolveRate(db, feature, accountId);
      const changed = { rate, minimum, hold, ...changes };
      writeRate(db, feature, accountId, changed);
      return changed;
    });
  }

  /** Deletes an account's negotiated rate. Returns whether it had one. */
  resetRate(feature: PricedCapability, accountId: string): boolean {
    return deleteRate(this.#options.db, feature, accountId);
  }

  /** Returns every capability that this server knows, including those without an engine. */
  listCapabilities(): readonly CapabilitySwitch[] {
    return listCapabilities(this.#options.db);
  }

  /** Switches a capability on or off. Returns whether this server offers the capability. */
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

  /**
   * Sets a ceiling, by default the ceiling on queued and processing jobs. Throws `RangeError` if the value is above the
   * maximum.
   */
  setCeiling(value: number, name: Ceiling = 'jobsInFlightMax'): void {
    if (value > CEILINGS[name].max)
      throw new RangeError(`Cannot set ${value}: must be ${CEILINGS[name].max} or less`);
    writeSetting(this.#options.db, name, positive(value));
  }

  /** Finds a job of any account. */
  findJob(jobId: string): JobRow | undefined {
    return findJob(this.#options.db, jobId);
  }

  /**
   * Ends a job as failed with a full refund. Returns false if the job has already ended or does not exist.
   */
  cancelJob(jobId: string): boolean {
    return this.#options.jobs.end(jobId, {
      status: 'failed',
      errorCode: 'processing_failed',
      reason: 'cancelled',
    });
  }

  /**
   * Sets a new password for the console page and returns it. All users who logged in with the old one are
   * logged out.
   */
  newConsolePassword(): string {
    return makeConsolePassword(this.#options.db);
  }

  /** If no password was ever set, sets one and returns it; otherwise returns `undefined`. */
  firstConsolePassword(): string | undefined {
    const { db } = this.#options;
    return db.transact(() => (consolePasswordMark(db) === undefined ? makeConsolePassword(db) : undefined));
  }

  /** Returns the state of a job's webhook, if the job has a callback and has ended. */
  delivery(jobId: string): DeliveryRow | undefined {
    return findDelivery(this.#options.db, jobId);
  }
}

function positive(value: number): number {
  if (!Number.isSafeInteger(value) || value < 1)
    throw new RangeError(`Cannot set ${value}: must be 1 or more`);
  return value;
}
