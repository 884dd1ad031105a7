import { micros, parseUsd } from '../../base/money.ts';
import { SESSION_CAPABILITIES } from '../../media-api/wire.ts';
import type { MediaAdmin } from '../media-admin.ts';
import type { JobCapability } from '../capabilities/capability.ts';
import type { AccountRow } from '../store/accounts.ts';
import type { Database } from '../store/database.ts';
import { listOwnRates } from '../store/rates.ts';
import {
  type PageOf,
  type RecentDelivery,
  type RecentJob,
  type RecentSession,
  accountNames,
  recentDeliveries,
  recentJobs,
  recentSessions,
  readAccountPage,
  readKeyPage,
} from '../store/recent.ts';
import { countOpenSessions } from '../store/sessions.ts';
import { accountTotals, countJobsByState, countPendingDeliveries } from '../store/statistics.ts';
import { ATTEMPTS_MAX } from '../webhooks/retry-schedule.ts';
import type {
  ConsoleLists,
  ConsoleState,
  WireAccount,
  WireAccountBalance,
  WireJobRow,
  WirePage,
  WireRate,
  WireSessionRow,
  WireTotals,
  WireWebhookRow,
} from './console-wire.ts';

/** The default number of rows on one page of a list. */
export const PAGE_ROWS = 50;
const OWN_RATES_MAX = 200;
const ACCOUNT_NAMES_MAX = 1_000;

type ListReaders = { readonly [Name in keyof ConsoleLists]: (page: PageOf) => ConsoleLists[Name] };

const FIRST_PAGE: PageOf = { limit: PAGE_ROWS, offset: 0 };

export interface BoardOptions {
  readonly db: Database;
  readonly admin: MediaAdmin;
  readonly capabilities: readonly Pick<JobCapability, 'feature' | 'unit'>[];
}

/** The data that the console shows, read from the database for each request. It contains no secrets. */
export class ConsoleBoard {
  readonly lists: ListReaders;
  readonly #db: Database;
  readonly #admin: MediaAdmin;
  readonly #units: ReadonlyMap<string, WireRate['unit']>;

  constructor({ db, admin, capabilities }: BoardOptions) {
    this.#db = db;
    this.#admin = admin;
    this.#units = new Map(capabilities.map(({ feature, unit }) => [feature, unit]));
    this.lists = {
      accounts: (page) => pageOf(page, (more) => readAccountPage(db, more), toAccount),
      keys: (page) =>
        pageOf(
          page,
          (more) => readKeyPage(db, more),
          (key) => key,
        ),
      jobs: (page) => pageOf(page, (more) => recentJobs(db, more), toJob),
      sessions: (page) => pageOf(page, (more) => recentSessions(db, more), toSession),
      webhooks: (page) => pageOf(page, (more) => recentDeliveries(db, more), toWebhook),
    };
  }

  /**
   * Reads everything, with the first page of each list. It uses no transaction, because a transaction would
   * wait for other processes that write.
   */
  read(): ConsoleState {
    const { accounts, keys, jobs, sessions, webhooks } = this.lists;
    return {
      totals: this.#totals(),
      accountNames: accountNames(this.#db, ACCOUNT_NAMES_MAX),
      accounts: accounts(FIRST_PAGE),
      keys: keys(FIRST_PAGE),
      rates: this.#rates(),
      switches: this.#admin
        .listCapabilities()
        .map(({ feature, enabled }) => ({ capability: feature, enabled })),
      ceilings: this.#admin.listCeilings(),
      requestsPerMinute: this.#admin.requestsPerMinute,
      jobs: jobs(FIRST_PAGE),
      sessions: sessions(FIRST_PAGE),
      webhooks: webhooks(FIRST_PAGE),
    };
  }

  /** Returns `undefined` if the account does not exist. */
  balance(accountId: string): WireAccountBalance | undefined {
    if (!this.#admin.findAccount(accountId)) return undefined;
    const balance = this.#admin.balance(accountId);
    return {
      balance: parseUsd(balance.balance_usd),
      toppedUp: parseUsd(balance.total_topped_up_usd),
      spent: parseUsd(balance.total_spent_usd),
      spentThisWeek: parseUsd(balance.spent_this_week_usd),
      spentThisMonth: parseUsd(balance.spent_this_month_usd),
      spentThisYear: parseUsd(balance.spent_this_year_usd),
    };
  }

  #totals(): WireTotals {
    const { toppedUp, spent, held } = accountTotals(this.#db);
    const { queued, processing } = countJobsByState(this.#db);
    const open = SESSION_CAPABILITIES.map((feature) => countOpenSessions(this.#db, feature));
    return {
      available: micros(toppedUp - spent - held),
      held,
      jobsQueued: queued,
      jobsProcessing: processing,
      sessionsOpen: open.reduce((sum, count) => sum + count, 0),
      webhooksPending: countPendingDeliveries(this.#db),
    };
  }

  /** Returns the public rates, each followed by the rates negotiated for single accounts. */
  #rates(): readonly WireRate[] {
    const own = listOwnRates(this.#db, OWN_RATES_MAX);
    return this.#admin.listRates().flatMap(({ feature, isOfSession, ...amounts }) => {
      const accountIds = [{ ...amounts, accountId: null }, ...own.filter((rate) => rate.feature === feature)];
      return accountIds.map(({ accountId, rate, minimum, hold }) => ({
        capability: feature,
        accountId,
        unit: isOfSession ? 'minute' : (this.#units.get(feature) ?? 'second'),
        rate,
        minimum: isOfSession ? null : minimum,
        hold: isOfSession ? null : hold,
      }));
    });
  }
}

/** Reads one row more than it returns, to see whether more rows follow. */
function pageOf<Row, Wire>(
  { limit, offset }: PageOf,
  read: (page: PageOf) => readonly Row[],
  toWire: (row: Row) => Wire,
): WirePage<Wire> {
  const rows = read({ limit: limit + 1, offset });
  return { rows: rows.slice(0, limit).map(toWire), more: rows.length > limit };
}

function toAccount({ id, name, toppedUp, spent, held }: AccountRow): WireAccount {
  return { id, name, available: micros(toppedUp - spent - held), held, spent, toppedUp };
}

function toJob({ feature, ...job }: RecentJob): WireJobRow {
  return { ...job, capability: feature };
}

function toSession({ feature, block, ...session }: RecentSession): WireSessionRow {
  return { ...session, capability: feature, costMax: block };
}

/**
 * While an attempt is under way, the stored due time only matters if the process ends before the attempt does, so it is
 * not shown.
 */
function toWebhook({ dueAt, tries, ...delivery }: RecentDelivery): WireWebhookRow {
  const last = tries.at(-1);
  const isUnderWay = last !== undefined && last.number === delivery.attempts && last.endedAt === null;
  return {
    ...delivery,
    attemptsMax: ATTEMPTS_MAX,
    tries: tries.map(({ number, startedAt, endedAt, outcome }) => ({ number, startedAt, endedAt, outcome })),
    dueAt: delivery.state === 'pending' && !isUnderWay ? dueAt : null,
  };
}
