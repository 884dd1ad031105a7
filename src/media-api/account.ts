import { type MicroUsd, parseUsd } from '../base/money.ts';
import type { CallOptions, Transport } from './transport.ts';
import { wireBalance, wireUsage, wireUsageSummary } from './wire.ts';

/**
 * The account's prepaid balance. The sums per period, which are only for display, follow the service's own time zone,
 * which is unknown.
 */
interface Balance {
  readonly balance: MicroUsd;
  readonly totalSpent: MicroUsd;
  readonly totalToppedUp: MicroUsd;
  readonly spentThisWeek: MicroUsd;
  readonly spentThisMonth: MicroUsd;
  readonly spentThisYear: MicroUsd;
}

export interface UsageRecord {
  readonly id: string;
  /** The path segment of the capability, as in `SUBMIT_SEGMENT`. */
  readonly endpoint: string;
  /** The feature name in snake_case. */
  readonly feature: string;
  readonly status: string;
  readonly charged: MicroUsd;
  /** An explanation. A call that did not fail can have one too. */
  readonly reason: string | null;
  readonly createdAtMs: number;
}

export interface UsageQuery {
  /** The maximum number of records to return, from 1 to 500; default 100. */
  readonly limit?: number;
  /** The start of the half-open range `[from, to)`, in the notation that the service expects. */
  readonly from?: string;
  readonly to?: string;
}

/** The count and the sums of all the calls in a range, including those that the log does not return. */
export interface UsageSummary {
  readonly totalCalls: number;
  readonly succeeded: number;
  readonly failed: number;
  /** The number of calls that are queued or processing. */
  readonly inFlight: number;
  readonly totalSpent: MicroUsd;
  readonly perFeature: readonly {
    readonly feature: string;
    readonly calls: number;
    readonly spent: MicroUsd;
  }[];
}

/** Whether the call has ended with a status that this client supports. An unknown status does not count as an end. */
export function isEnded({ status }: Pick<UsageRecord, 'status'>): boolean {
  return status === 'succeeded' || status === 'failed';
}

/** The maximum number of records that one usage request returns. */
export const USAGE_LIMIT_MAX = 500;

const ATTEMPTS_MAX = 3;

/** Reads the balance and the usage of the account. */
export class Account {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  balance(options: CallOptions = {}): Promise<Balance> {
    return this.#transport.call(
      {
        method: 'GET',
        target: '/balance',
        action: 'read the balance',
        decode: toBalance,
        priority: 'background',
        attemptsMax: ATTEMPTS_MAX,
      },
      options,
    );
  }

  /**
   * Returns one page of the usage log, in the service's order. The documentation does not specify how the service
   * interprets `from` and `to`; `UsageReader` finds out.
   */
  async usage(query: UsageQuery = {}, options: CallOptions = {}): Promise<readonly UsageRecord[]> {
    const { limit = 100 } = query;
    if (!Number.isInteger(limit) || limit < 1 || limit > USAGE_LIMIT_MAX) {
      throw new RangeError(`Cannot read usage: limit ${limit} is not 1 to ${USAGE_LIMIT_MAX}`);
    }
    const search = rangeSearch(query);
    search.set('limit', String(limit));
    return this.#transport.call(
      {
        method: 'GET',
        target: `/usage?${search.toString()}`,
        action: 'read the usage log',
        decode: toUsage,
        priority: 'background',
        attemptsMax: ATTEMPTS_MAX,
      },
      options,
    );
  }

  /** Returns the counts and sums of the calls in `range` (see `usage`), or of all calls if the range is empty. */
  usageSummary(
    range: Pick<UsageQuery, 'from' | 'to'> = {},
    options: CallOptions = {},
  ): Promise<UsageSummary> {
    return this.#transport.call(
      {
        method: 'GET',
        target: `/usage/summary?${rangeSearch(range).toString()}`,
        action: 'read the usage summary',
        decode: toUsageSummary,
        priority: 'background',
        attemptsMax: ATTEMPTS_MAX,
      },
      options,
    );
  }
}

function rangeSearch({ from, to }: Pick<UsageQuery, 'from' | 'to'>): URLSearchParams {
  const search = new URLSearchParams();
  if (from !== undefined) search.set('from', from);
  if (to !== undefined) search.set('to', to);
  return search;
}

function toUsageSummary(json: unknown): UsageSummary {
  const wire = wireUsageSummary.parse(json);
  return {
    totalCalls: wire.total_calls,
    succeeded: wire.succeeded,
    failed: wire.failed,
    inFlight: wire.in_flight,
    totalSpent: parseUsd(wire.total_spent_usd),
    perFeature: wire.per_feature.map(({ feature, calls, spend_usd: spent }) => ({
      feature,
      calls,
      spent: parseUsd(spent),
    })),
  };
}

function toBalance(json: unknown): Balance {
  const wire = wireBalance.parse(json);
  return {
    balance: parseUsd(wire.balance_usd),
    totalSpent: parseUsd(wire.total_spent_usd),
    totalToppedUp: parseUsd(wire.total_topped_up_usd),
    spentThisWeek: parseUsd(wire.spent_this_week_usd),
    spentThisMonth: parseUsd(wire.spent_this_month_usd),
    spentThisYear: parseUsd(wire.spent_this_year_usd),
  };
}

function toUsage(json: unknown): readonly UsageRecord[] {
  return wireUsage.parse(json).map(({ charged_usd: charged, created_at: createdAt, ...record }) => {
    const createdAtMs = parseUtc(createdAt);
    if (Number.isNaN(createdAtMs)) throw new RangeError('Cannot read a usage record: its time is not a date');
    return { ...record, charged: parseUsd(charged), createdAtMs };
  });
}

/** Parses a time. A time without a zone is in UTC, as documented, not in this machine's zone. */
function parseUtc(text: string): number {
  const isZoned = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text) || !text.includes(':');
  return Date.parse(isZoned ? text : `${text.replace(' ', 'T')}Z`);
}
