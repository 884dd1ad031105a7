import { type Clock, type Timer, sleep, withDeadline } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { backoffMs } from '../../../base/retry.ts';
import {
  claimRemoval,
  deferRemoval,
  purgeDeletedData,
  nextRemovalAtMs,
} from '../../../../db/queries/removals.ts';
import type { RemovalRow } from '../../../../db/schema/removals.ts';
import type { Departures } from './departures.ts';
import { forgetEndedLimits, type LimitSpanOf } from './gone-limits.ts';
import { retryUndeleted } from './retry-undeleted.ts';
import { type RemovalOptions, removePart } from './remove-part.ts';
import type { GuildPresence } from './guild-presence.ts';

interface CaretakerOptions extends RemovalOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly presence: GuildPresence;
  readonly departures: Departures;
  readonly limitSpanOf: LimitSpanOf;
}

const LOOK_MS = 86_400_000;
const SWEEP_MS = 15 * 60_000;
/**
 * The longest time that one step of a removal may take. After a crash, the next attempt starts once this time has
 * passed.
 */
const PART_MS_MAX = 60_000;
const WAIT_MS = 1_000;
const RETRY = { delayMsFirst: 1_000, delayMsMax: 600_000 };
const FORGET_TRIES = 20;
const FORGET_GAP_MS = 50;

/**
 * Deletes data that must go: the data of members who asked for its removal, faces that were not confirmed, and the data
 * of guilds that the bot has left. Work that a crash interrupted continues when the program starts.
 */
export class Caretaker implements AsyncDisposable {
  readonly #options: CaretakerOptions;
  readonly #stopping = new AbortController();
  #watch: Disposable | undefined;
  #changes: Disposable | undefined;
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #lookedAtMs = -Infinity;
  #sweptAtMs = -Infinity;

  constructor(options: CaretakerOptions) {
    this.#options = options;
  }

  /** Starts the work. Must be called when Discord is connected. */
  start(): void {
    const { db, departures, presence, log } = this.#options;
    this.#changes = db.changes.listen('removals', () => this.nudge());
    this.#watch = presence.watch((guildId, isIn) => {
      departures
        .note(guildId, isIn)
        .catch((error: unknown) => log.error({ guildId, error }, 'Cannot record that the bot left a server'));
    });
    this.nudge();
  }

  /** Looks for work now. Does nothing before `start`. */
  nudge(): void {
    if (!this.#watch || this.#stopping.signal.aborted) return;
    this.#again = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#again) this.nudge();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('The caretaker stops'));
    this.#watch?.[Symbol.dispose]();
    this.#changes?.[Symbol.dispose]();
    this.#timer?.cancel();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#options;
    this.#timer?.cancel();
    let wakeInMs = SWEEP_MS;
    try {
      while (this.#again && !this.#stopping.signal.aborted) {
        this.#again = false;
        await this.#routine();
        await this.#removeDue();
      }
      const dueAtMs = await nextRemovalAtMs(this.#options.db.kysely);
      const nextAtMs = Math.min(this.#sweptAtMs + SWEEP_MS, dueAtMs ?? Infinity);
      wakeInMs = Math.max(0, nextAtMs - clock.now());
    } catch (error) {
      log.error({ error }, 'Cannot look for data to remove, will try again');
    }
    if (this.#stopping.signal.aborted) return;
    this.#timer = clock.after(wakeInMs, () => this.nudge(), { background: true });
  }

  async #routine(): Promise<void> {
    const { clock, departures, faceBin } = this.#options;
    const nowMs = clock.now();
    if (nowMs - this.#sweptAtMs >= SWEEP_MS) {
      // When the program starts, the first sweep also deletes files whose removal a crash interrupted.
      await faceBin.empty();
      await forgetEndedLimits(this.#options);
      await retryUndeleted(this.#options, this.#stopping.signal);
      await this.#forget();
      this.#sweptAtMs = nowMs;
    }
    if (nowMs - this.#lookedAtMs < LOOK_MS) return;
    await departures.look();
    this.#lookedAtMs = nowMs;
  }

  async #removeDue(): Promise<void> {
    const { db, clock } = this.#options;
    while (!this.#stopping.signal.aborted) {
      const nowMs = clock.now();
      const removal = await claimRemoval(db.kysely, { nowMs, retryAtMs: nowMs + PART_MS_MAX });
      if (!removal) return;
      await this.#remove(removal);
    }
  }

  async #remove(removal: RemovalRow): Promise<void> {
    const { db, clock, log } = this.#options;
    const key = { kind: removal.kind, subjectId: removal.subject_id };
    try {
      const work = (signal: AbortSignal): ReturnType<typeof removePart> =>
        removePart(removal, this.#options, signal);
      const came = await withDeadline(clock, PART_MS_MAX, work, this.#stopping.signal);
      if (came === 'done') {
        await forgetEndedLimits(this.#options);
        await this.#forget();
        log.info({ kind: removal.kind }, 'A removal of data is complete');
      } else {
        const due_at_ms = clock.now() + (came === 'wait' ? WAIT_MS : 0);
        await deferRemoval(db.kysely, key, { due_at_ms, attempts: 0 });
      }
    } catch (error) {
      const { attempts } = removal;
      const isStopping = this.#stopping.signal.aborted;
      const delayMs = isStopping ? 0 : backoffMs(RETRY, attempts);
      await deferRemoval(db.kysely, key, { due_at_ms: clock.now() + delayMs, attempts });
      if (!isStopping)
        log.warn({ kind: removal.kind, attempts, error }, 'A removal of data failed, will try again');
    }
  }

  /**
   * Removes traces of deleted rows from the database file, at once if possible. If another process is reading, the next
   * sweep removes them.
   */
  async #forget(): Promise<void> {
    for (let attempt = 0; attempt < FORGET_TRIES; attempt++) {
      if (await purgeDeletedData(this.#options.db.kysely)) return;
      await sleep(this.#options.clock, FORGET_GAP_MS, this.#stopping.signal);
    }
  }
}
