import { type MicroUsd, parseUsd } from '../base/money.ts';
import type { CallOptions, Transport } from './transport.ts';
import { wireBalance, wireUsage } from './wire.ts';

/** The account's prepaid balance. The sums per period are in the service's own, unknown time zone: display only. */
export interface Balance {
  readonly balance: MicroUsd;
  readonly totalSpent: MicroUsd;
  readonly totalToppedUp: MicroUsd;
  readonly spentThisWeek: MicroUsd;
  readonly spentThisMonth: MicroUsd;
  readonly spentThisYear: MicroUsd;
}

export interface UsageRecord {
  readonly id: string;
  /** Path segment of the capability, as in `SUBMIT_SEGMENT`. */
  readonly endpoint: string;
  /** Feature name in snake_case. */
  readonly feature: string;
  readonly status: string;
  readonly charged: MicroUsd;
  /** Explains; does not mark a failure. */
  readonly reason: string | null;
  readonly createdAtMs: number;
}

export interface UsageQuery {
  /** 1 to 500; default 100. */
  readonly limit?: number;
  /** Half-open range `[from, to)`, as the service wants it written. */
  readonly from?: string;
  readonly to?: string;
}

/** The most records one usage request returns. */
export const USAGE_LIMIT_MAX = 500;

const ATTEMPTS_MAX = 3;

/** What the account has and has spent. */
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
   * One page of the usage log, in the service's order. Whether `from` and `to` are understood is unknown until
   * tried: `UsageReader` finds out.
   */
  async usage(query: UsageQuery = {}, options: CallOptions = {}): Promise<readonly UsageRecord[]> {
    const { limit = 100 } = query;
    if (!Number.isInteger(limit) || limit < 1 || limit > USAGE_LIMIT_MAX) {
      throw new RangeError(`Cannot read usage: limit ${limit} is not 1 to ${USAGE_LIMIT_MAX}`);
    }
    const search = new URLSearchParams({ limit: String(limit) });
    if (query.from !== undefined) search.set('from', query.from);
    if (query.to !== undefined) search.set('to', query.to);
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
    const createdAtMs = Date.parse(createdAt);
    if (Number.isNaN(createdAtMs)) throw new RangeError('Cannot read a usage record: its time is not a date');
    return { ...record, charged: parseUsd(charged), createdAtMs };
  });
}
