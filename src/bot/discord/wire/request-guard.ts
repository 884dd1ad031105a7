import { type REST, RESTEvents } from 'discord.js';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { DiscordError } from './discord-error.ts';

interface RequestGuardOptions {
  /**
   * The client whose requests are counted. The host program's requests are included, because Discord counts all of them
   * together.
   */
  readonly rest: REST;
  readonly clock: Clock;
  readonly log: Logger;
  /** The number of refused requests within 10 minutes after which progress is no longer shown. Default 2,000. */
  readonly progressMax?: number;
  /** The number of refused requests within 10 minutes after which only interactions are answered. Default 4,000. */
  readonly postsMax?: number;
}

/** The purpose of a request. Replies to interactions are not listed, because they are always sent. */
type Purpose = 'progress' | 'post';

/** The time over which Discord counts refused requests. After 10,000 of them, Discord blocks the bot's IP address. */
const WINDOW_MS = 10 * 60_000;
const SLOT_MS = 10_000;
const PROGRESS_MAX = 2_000;
const POSTS_MAX = 4_000;
/** While posts are stopped, one post is sent at this interval to check whether Discord accepts posts again. */
const TRIAL_INTERVAL_MS = 30_000;
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 429]);

interface SeenResponse {
  readonly status: number;
  readonly headers: Pick<Headers, 'get'>;
}

interface Slot {
  readonly sinceMs: number;
  count: number;
}

/**
 * Counts the requests that Discord refuses (401, 403, 429), and stops less important requests well before Discord
 * blocks the bot. Adds one listener to the REST client; disposing the guard removes the listener.
 */
export class RequestGuard implements Disposable {
  readonly #options: Required<RequestGuardOptions>;
  /** The numbers of refused requests, oldest first, with at most one slot for each 10 s of the window. */
  #slots: Slot[] = [];
  #stopped: Purpose | 'nothing' = 'nothing';
  #trialAtMs = 0;
  readonly #listener = (_request: unknown, response: SeenResponse): void => this.#count(response);

  constructor(options: RequestGuardOptions) {
    this.#options = { progressMax: PROGRESS_MAX, postsMax: POSTS_MAX, ...options };
    options.rest.on(RESTEvents.Response, this.#listener);
  }

  [Symbol.dispose](): void {
    this.#options.rest.off(RESTEvents.Response, this.#listener);
  }

  /**
   * Returns whether a request may be sent now. An allowed `post` must be sent, because it may be the one post per
   * interval that checks whether Discord accepts posts again.
   */
  allows(purpose: Purpose): boolean {
    const stopped = this.#look();
    if (stopped === 'nothing') return true;
    if (purpose === 'progress') return false;
    return stopped === 'progress' || this.#isTrialDue();
  }

  /** Throws `DiscordError` with the code `unreachable` if a post may not be sent now. */
  demandPost(): void {
    if (this.allows('post')) return;
    throw new DiscordError('unreachable', 'Cannot call Discord: it has refused too many requests recently');
  }

  #count({ status, headers }: SeenResponse): void {
    // A shared rate limit applies to many bots together, and Discord does not count its refusals against this bot.
    if (!REFUSALS.has(status) || headers.get('x-ratelimit-scope') === 'shared') return;
    const nowMs = this.#options.clock.now();
    const slot = this.#slots.at(-1);
    if (slot && nowMs - slot.sinceMs < SLOT_MS) slot.count += 1;
    else this.#slots.push({ sinceMs: nowMs, count: 1 });
    this.#look();
  }

  /** Returns what is currently stopped, and logs each change once. */
  #look(): Purpose | 'nothing' {
    const { clock, log, progressMax, postsMax } = this.#options;
    const nowMs = clock.now();
    this.#slots = this.#slots.filter(({ sinceMs }) => nowMs - sinceMs < WINDOW_MS);
    const refused = this.#slots.reduce((sum, { count }) => sum + count, 0);
    const stopped = refused >= postsMax ? 'post' : refused >= progressMax ? 'progress' : 'nothing';
    if (stopped !== this.#stopped) {
      this.#stopped = stopped;
      if (stopped === 'post') this.#trialAtMs = nowMs + TRIAL_INTERVAL_MS;
      const fields = { refused, stopped };
      if (stopped === 'nothing') log.info(fields, 'Discord accepts requests again');
      else log.error(fields, 'Discord refuses too many requests: less important ones are not sent');
    }
    return stopped;
  }

  #isTrialDue(): boolean {
    const nowMs = this.#options.clock.now();
    if (nowMs < this.#trialAtMs) return false;
    this.#trialAtMs = nowMs + TRIAL_INTERVAL_MS;
    return true;
  }
}
