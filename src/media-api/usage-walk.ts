import { type Account, USAGE_LIMIT_MAX, type UsageRecord } from './account.ts';
import type { CallOptions } from './transport.ts';
import {
  type UsageDialect,
  type UsageWindow,
  keepNewest,
  keepsTo,
  rangeQuery,
  unlessBoundsRefused,
} from './usage-dialects.ts';

const REQUESTS_MAX = 100;
const SECOND_MS = 1000;

/** Splits a window into halves until each part fits into one page, with at most a hundred requests. */
export class UsageWalk {
  readonly found: Map<string, UsageRecord> = new Map();
  /** Whether every part of the window was read. */
  complete = true;
  /** False if an answer did not match its request, which means that the service interprets the bounds differently. */
  understood = true;
  readonly #account: Account;
  readonly #dialect: UsageDialect;
  readonly #pageMax: number;
  readonly #options: CallOptions;
  #requestsLeft = REQUESTS_MAX;

  constructor(
    account: Account,
    how: { readonly dialect: UsageDialect; readonly pageMax: number },
    options: CallOptions,
  ) {
    this.#account = account;
    this.#dialect = how.dialect;
    this.#pageMax = how.pageMax;
    this.#options = options;
  }

  /** Reads the window, which must consist of whole steps of the dialect. */
  async visit(window: UsageWindow): Promise<void> {
    if (!this.understood || this.#requestsLeft-- <= 0) {
      this.complete = false;
      return;
    }
    const page = await this.#account
      .usage({ limit: USAGE_LIMIT_MAX, ...rangeQuery(window, this.#dialect) }, this.#options)
      .catch(unlessBoundsRefused);
    if (!page?.every((record) => keepsTo(window, record))) {
      this.understood = false;
      this.complete = false;
      return;
    }
    for (const record of page) keepNewest(this.found, record);
    if (page.length >= this.#pageMax) await this.#visitHalves(window);
  }

  async #visitHalves({ fromMs, toMs }: UsageWindow): Promise<void> {
    const { stepMs } = this.#dialect;
    // The window is split at a whole second if possible, because a service may store times only in whole seconds.
    const roundMs = toMs - fromMs > 2 * SECOND_MS ? Math.max(SECOND_MS, stepMs) : stepMs;
    const middleMs = Math.floor((fromMs + toMs) / 2 / roundMs) * roundMs;
    if (middleMs <= fromMs || middleMs >= toMs) {
      this.complete = false;
      return;
    }
    await this.visit({ fromMs, toMs: middleMs });
    await this.visit({ fromMs: middleMs, toMs });
  }
}
