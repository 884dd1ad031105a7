import { type Account, USAGE_LIMIT_MAX, type UsageQuery, type UsageRecord } from './account.ts';
import { MediaApiRefusal } from './errors.ts';
import type { CallOptions } from './transport.ts';

/** Half-open, in epoch milliseconds. */
export interface UsageWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface CollectedUsage {
  /** Each once, in no particular order. */
  readonly records: readonly UsageRecord[];
  /** False when records of the window may be missing. */
  readonly complete: boolean;
}

/** A way to write the bounds of a window, and the finest step it can express. */
interface Dialect {
  readonly write: (ms: number) => string;
  readonly stepMs: number;
}

const DAY_MS = 86_400_000;

/** The document does not say how `from` and `to` are written: the likeliest first. */
const DIALECTS: readonly Dialect[] = [
  { write: (ms) => new Date(ms).toISOString(), stepMs: 1 },
  { write: (ms) => String(ms / 1000), stepMs: 1000 },
  { write: (ms) => String(ms), stepMs: 1 },
  { write: (ms) => new Date(ms).toISOString().slice(0, 10), stepMs: DAY_MS },
];

const REQUESTS_MAX = 100;

/** Reads the whole usage log of a window, though one answer is capped and its filter undocumented. */
export class UsageReader {
  readonly #account: Account;
  #dialect: Dialect | undefined;

  constructor(account: Account) {
    this.#account = account;
  }

  /**
   * Reads every record of the window, in at most a hundred requests. Throws what `Account.usage` throws, except a
   * refusal of the bounds.
   */
  async collect(window: UsageWindow, options: CallOptions = {}): Promise<CollectedUsage> {
    const latest = await this.#account.usage({ limit: USAGE_LIMIT_MAX }, options);
    const known = latest.filter((record) => isWithin(window, record));
    // A page that is not full is the whole log: no filter is needed, so none has to be understood.
    if (latest.length < USAGE_LIMIT_MAX) return { records: known, complete: true };
    this.#dialect ??= await this.#findDialect(window, known, options);
    if (!this.#dialect) return { records: known, complete: false };
    const walk = new WindowWalk(this.#account, this.#dialect, options);
    await walk.visit(widen(window, this.#dialect.stepMs));
    const records = [...walk.found.values()].filter((record) => isWithin(window, record));
    return { records, complete: walk.complete };
  }

  /** The first dialect whose answer keeps to the window and misses nothing that is known to be in it. */
  async #findDialect(
    window: UsageWindow,
    known: readonly UsageRecord[],
    options: CallOptions,
  ): Promise<Dialect | undefined> {
    for (const dialect of DIALECTS) {
      const wide = widen(window, dialect.stepMs);
      const page = await this.#account.usage(toQuery(wide, dialect), options).catch(unlessRefused);
      if (!page?.every((record) => isWithin(wide, record))) continue;
      const ids = new Set(page.map(({ id }) => id));
      const missesNothing = page.length >= USAGE_LIMIT_MAX || known.every(({ id }) => ids.has(id));
      // An empty answer to a window without known records proves nothing about how its bounds were read.
      if (missesNothing && page.length > 0) return dialect;
    }
    return undefined;
  }
}

/** Halves a window until each part fits into one page. */
class WindowWalk {
  readonly found = new Map<string, UsageRecord>();
  complete = true;
  readonly #account: Account;
  readonly #dialect: Dialect;
  readonly #options: CallOptions;
  #requestsLeft = REQUESTS_MAX;

  constructor(account: Account, dialect: Dialect, options: CallOptions) {
    this.#account = account;
    this.#dialect = dialect;
    this.#options = options;
  }

  async visit(window: UsageWindow): Promise<void> {
    if (this.#requestsLeft-- <= 0) {
      this.complete = false;
      return;
    }
    const page = await this.#account.usage(toQuery(window, this.#dialect), this.#options);
    for (const record of page) this.found.set(record.id, record);
    if (page.length < USAGE_LIMIT_MAX) return;
    const { stepMs } = this.#dialect;
    const middleMs = Math.floor((window.fromMs + window.toMs) / 2 / stepMs) * stepMs;
    if (middleMs <= window.fromMs || middleMs >= window.toMs) {
      this.complete = false;
      return;
    }
    await this.visit({ fromMs: window.fromMs, toMs: middleMs });
    await this.visit({ fromMs: middleMs, toMs: window.toMs });
  }
}

function toQuery({ fromMs, toMs }: UsageWindow, { write }: Dialect): UsageQuery {
  return { limit: USAGE_LIMIT_MAX, from: write(fromMs), to: write(toMs) };
}

/** To whole steps outwards. */
function widen({ fromMs, toMs }: UsageWindow, stepMs: number): UsageWindow {
  return { fromMs: Math.floor(fromMs / stepMs) * stepMs, toMs: Math.ceil(toMs / stepMs) * stepMs };
}

function isWithin({ fromMs, toMs }: UsageWindow, { createdAtMs }: UsageRecord): boolean {
  return createdAtMs >= fromMs && createdAtMs < toMs;
}

function unlessRefused(error: unknown): undefined {
  if (error instanceof MediaApiRefusal && error.status === 400) return undefined;
  throw error;
}
