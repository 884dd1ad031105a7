import { countAllOpenJobs, countOpenJobs } from '../../../../db/queries/jobs.ts';
import type { Trx } from '../../../../db/schema.ts';
import type { Clock } from '../../../base/clock.ts';
import type { JobLimits } from '../job-limits.ts';

interface OpenJobsOptions {
  readonly limits: Pick<JobLimits, 'openPerGuildMax' | 'openPerMemberMax' | 'openMax'>;
  readonly clock: Clock;
}

/** The share of all open jobs that is reserved for guilds with fewer than `FEW` open jobs. */
const KEPT_SHARE = 0.2;
const FEW = 5;
const COUNT_MS = 1_000;

/** Keeps the number of open jobs within the limits for each guild, for each member, and for the whole bot. */
export class OpenJobs {
  readonly #options: OpenJobsOptions;
  /** The number of open jobs at the last count, plus the jobs accepted since. */
  #open = 0;
  #countedAtMs = -Infinity;

  constructor(options: OpenJobsOptions) {
    this.#options = options;
  }

  /**
   * Returns whether there is room for one more job of this member in this guild. If there is, counts the job as open.
   */
  async hasRoom(
    trx: Trx,
    { guildId, userId }: { readonly guildId: string; readonly userId: string },
  ): Promise<boolean> {
    const { openPerGuildMax, openPerMemberMax, openMax } = this.#options.limits;
    const ofGuild = await countOpenJobs(trx, { guildId });
    if (ofGuild >= openPerGuildMax) return false;
    if ((await countOpenJobs(trx, { userId })) >= openPerMemberMax) return false;
    return this.#hasRoomAmongAll(trx, ofGuild < FEW ? openMax : openMax * (1 - KEPT_SHARE));
  }

  /**
   * Counts all open jobs at most once a second, because counting many jobs takes a long time. If the limit seems to be
   * reached, it counts again immediately.
   */
  async #hasRoomAmongAll(trx: Trx, openMax: number): Promise<boolean> {
    const { limits, clock } = this.#options;
    const nowMs = clock.monotonic();
    if (nowMs - this.#countedAtMs >= COUNT_MS || this.#open >= limits.openMax) {
      this.#open = await countAllOpenJobs(trx, limits.openMax);
      this.#countedAtMs = nowMs;
    }
    if (this.#open >= openMax) return false;
    this.#open += 1;
    return true;
  }
}
