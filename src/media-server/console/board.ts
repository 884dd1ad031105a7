import { micros, parseUsd } from '../../base/money.ts';
import { SESSION_CAPABILITIES } from '../../media-api/wire.ts';
import type { MediaAdmin } from '../admin.ts';
import type { JobCapability } from '../capabilities/capability.ts';
import type { AccountRow } from '../store/accounts.ts';
import type { Database } from '../store/database.ts';
import { listOwnRates } from '../store/rates.ts';
import {
  type PageOf,
  type RecentDelivery,
  type RecentJob,
  type RecentSession,
  recentDeliveries,
  recentJobs,
  recentSessions,
  someAccounts,
  someKeys,
} from '../store/recent.ts';
import { countOpenSessions } from '../store/sessions.ts';
import { accountTotals, countJobsByState, countPendingDeliveries } from '../store/statistics.ts';
import { ATTEMPTS_MAX } from '../webhooks/schedule.ts';
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

/** Rows of a page of a list, unless more are asked for. */
export const PAGE_ROWS = 50;
const OWN_RATES_MAX = 200;

type ListReaders = { readonly [Name in keyof ConsoleLists]: (page: PageOf) => ConsoleLists[Name] };

const FIRST_PAGE: PageOf = { limit: PAGE_ROWS, offset: 0 };

export interface BoardOptions {
  readonly db: Database;
  readonly admin: MediaAdmin;
  readonly capabilities: readonly Pick<JobCapability, 'feature' | 'unit'>[];
}

/** What the console shows, read from the database whenever it is asked for. No secret is among it. */
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
      accounts: (page) => pageOf(page, (more) => someAccounts(db, more), toAccount),
      keys: (page) =>
        pageOf(
          page,
          (more) => someKeys(db, more),
          (key) => key,
        ),
      jobs: (page) => pageOf(page, (more) => recentJobs(db, more), toJob),
      sessions: (page) => pageOf(page, (more) => recentSessions(db, more), toSession),
      webhooks: (page) => pageOf(page, (more) => recentDeliveries(db, more), toWebhook),
    };
  }

  /** Everything; of each list the first page. Without a transaction, which would wait for other processes that write. */
  read(): ConsoleState {
    const { accounts, keys, jobs, sessions, webhooks } = this.lists;
    return {
      totals: this.#totals(),
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

  /** Undefined for an account that is not there. */
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

  /** The public rates, each followed by those that accounts have of their own. */
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

/** Reads one row more than are shown, to know whether others follow. */
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

/** While an attempt is under way the next is due only in case that its process ends. */
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
