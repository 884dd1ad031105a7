import { type Account, USAGE_LIMIT_MAX, type UsageRecord, type UsageSummary } from './account.ts';
import type { CallOptions } from './transport.ts';
import {
  USAGE_DIALECTS,
  type UsageDialect,
  type UsageHabits,
  type UsageWindow,
  findDialect,
  isWithin,
  keepNewest,
  rangeQuery,
  unlessBoundsRefused,
  widen,
} from './usage-dialects.ts';
import { UsageWalk } from './usage-walk.ts';

export interface CollectedUsage {
  /** Each record once, in no particular order. */
  readonly records: readonly UsageRecord[];
  /** False if records of the window may be missing. */
  readonly complete: boolean;
  /** The summary of the whole history, read before the records. */
  readonly summary: UsageSummary;
}

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;
/** A time before the service existed. */
const LONG_AGO_MS = Date.UTC(2001, 0, 1);

/** Reads all the usage records of a window, although each answer is limited and the filter is undocumented. */
export class UsageReader {
  readonly #account: Account;
  #habits: UsageHabits | undefined;

  /** `habits` are the facts that an earlier reader detected about the same service. */
  constructor(account: Account, habits?: UsageHabits) {
    this.#account = account;
    this.#habits = habits;
  }

  /** The facts detected so far, or undefined until a supported dialect has been found. */
  get habits(): UsageHabits | undefined {
    return this.#habits;
  }

  /**
   * Reads every record of the window, in about a hundred requests at most. Throws what `Account.usage` throws, except a
   * refusal of the bounds.
   */
  async collect(window: UsageWindow, options: CallOptions = {}): Promise<CollectedUsage> {
    const summary = await this.#account.usageSummary({}, options);
    const inWindow = (records: Iterable<UsageRecord>): readonly UsageRecord[] =>
      unique(records).filter((record) => isWithin(window, record));
    const isShort = summary.totalCalls < USAGE_LIMIT_MAX;
    const all = isShort ? await this.#account.usage({ limit: USAGE_LIMIT_MAX }, options) : [];
    // The page contains all calls, so no filter is needed.
    if (isShort && unique(all).length >= summary.totalCalls) {
      return { records: inWindow(all), complete: true, summary };
    }
    const walked = await this.#walkAsKnown(window, summary, options);
    if (walked) return { ...walked, records: inWindow(walked.records), summary };
    const latest = isShort ? all : await this.#account.usage({ limit: USAGE_LIMIT_MAX }, options);
    const learned = await this.#learn(latest, options);
    const rewalked = learned ? await this.#walkAsKnown(window, summary, options) : undefined;
    return {
      records: inWindow([...latest, ...(rewalked?.records ?? [])]),
      complete: rewalked?.complete ?? false,
      summary,
    };
  }

  async #learn(latest: readonly UsageRecord[], options: CallOptions): Promise<boolean> {
    const dialect = latest.length > 0 && (await findDialect(this.#account, latest, options));
    this.#habits = dialect ? { dialect: dialect.name, pageMax: latest.length } : undefined;
    return this.#habits !== undefined;
  }

  /** Reads the window in the known dialect. Returns undefined if the service does not support it. */
  async #walkAsKnown(
    window: UsageWindow,
    summary: UsageSummary,
    options: CallOptions,
  ): Promise<Omit<CollectedUsage, 'summary'> | undefined> {
    const dialect = USAGE_DIALECTS.find(({ name }) => name === this.#habits?.dialect);
    if (!dialect || !this.#habits) return undefined;
    const asked = widen(window, Math.max(SECOND_MS, dialect.stepMs));
    // The count is read before the records. Calls made in between can only add records.
    const expected = await this.#count(asked, dialect, { summary, options });
    const walk = new UsageWalk(this.#account, { dialect, pageMax: this.#habits.pageMax }, options);
    await walk.visit(asked);
    if (!walk.understood) {
      this.#habits = undefined;
      return undefined;
    }
    const inAsked = [...walk.found.values()].filter((record) => isWithin(asked, record));
    return { records: inAsked, complete: walk.complete && inAsked.length >= expected };
  }

  /** Returns how many calls the service counts in the window, or 0 if its summary ignores the window. */
  async #count(
    window: UsageWindow,
    dialect: UsageDialect,
    { summary, options }: { readonly summary: UsageSummary; readonly options: CallOptions },
  ): Promise<number> {
    const count = (range: UsageWindow): Promise<number> =>
      this.#account
        .usageSummary(rangeQuery(range, dialect), options)
        .then(({ totalCalls }) => totalCalls)
        .catch((error: unknown) => unlessBoundsRefused(error) ?? 0);
    const counted = await count(window);
    if (counted < summary.totalCalls) return counted;
    // Either every call is in the window, or the bounds are ignored. In the second case, the service would count them
    // all even in a window without calls.
    const empty = { fromMs: LONG_AGO_MS, toMs: LONG_AGO_MS + DAY_MS };
    return (await count(empty)) === 0 ? counted : 0;
  }
}

function unique(records: Iterable<UsageRecord>): readonly UsageRecord[] {
  const found = new Map<string, UsageRecord>();
  for (const record of records) keepNewest(found, record);
  return [...found.values()];
}
