import { type Clock, type Timer, sleep, withDeadline } from '../../../../base/clock.ts';
import type { Logger } from '../../../../base/log.ts';
import type { PanelPlace, VoicePanels } from './voice-panels.ts';
import type { VoiceView } from './voice-view.ts';

/** Records which panel shows a running session, so that the panel can be corrected after a crash. */
export interface PanelNotes {
  /** Records where the panel is; null if there is none. */
  note(place: PanelPlace | null): Promise<void>;
  /** Deletes the record, because the session has ended and its panel shows the end. */
  forget(): Promise<void>;
}

export interface PanelKeeperOptions {
  readonly panels: VoicePanels;
  readonly notes: PanelNotes;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns the current state of the session. */
  readonly look: () => Promise<VoiceView>;
  /** Called when the panel can no longer be shown. */
  readonly lost: () => void;
}

const INTERVAL_MS = 5_000;
const DEADLINE_MS = 5_000;
/** Discord restricts edits of messages older than an hour, so a panel older than this is posted again. */
const AGE_MS_MAX = 50 * 60_000;
const FINAL_TRIES = 3;
const FINAL_PAUSE_MS = 500;

/**
 * Keeps the panel up to date. The panel is edited at most once every 5 s, and only after a change. If it is deleted in
 * Discord, it is posted again once.
 */
export class PanelKeeper {
  readonly #options: PanelKeeperOptions;
  #place: PanelPlace | null = null;
  #postedAtMs = 0;
  #editedAtMs = 0;
  #shown = '';
  #isReposted = false;
  #isWanted = false;
  #timer: Timer | null = null;
  #running: Promise<void> | null = null;
  #isEnding = false;

  constructor(options: PanelKeeperOptions) {
    this.#options = options;
  }

  /** Where the panel is; null if there is none. */
  get place(): PanelPlace | null {
    return this.#place;
  }

  /** Posts the panel in the first of the channels that allows it. Returns false if none does. */
  async post(channelIds: readonly string[]): Promise<boolean> {
    for (const channelId of new Set(channelIds)) {
      if (await this.#post(channelId)) return true;
    }
    return false;
  }

  /** Schedules an edit of the panel for the earliest time that the interval allows. */
  nudge(): void {
    if (this.#isEnding || !this.#place) return;
    this.#isWanted = true;
    if (this.#timer || this.#running) return;
    const delayMs = this.#editedAtMs + INTERVAL_MS - this.#options.clock.monotonic();
    this.#timer = this.#options.clock.after(Math.max(0, delayMs), () => this.#run(), { background: true });
  }

  /**
   * Shows the end of the session. If Discord cannot be reached, the panel's record is kept, so that a later sweep
   * corrects the panel.
   */
  async end(): Promise<void> {
    this.#isEnding = true;
    this.#timer?.cancel();
    await this.#running;
    const { clock, log, notes, look, panels } = this.#options;
    const place = this.#place;
    if (!place) return notes.forget();
    for (let attempt = 1; attempt <= FINAL_TRIES; attempt++) {
      try {
        const view = await look();
        await withDeadline(clock, DEADLINE_MS, (signal) => panels.edit(place, view, signal));
        return await notes.forget();
      } catch (error) {
        log.warn({ error }, 'Cannot show the end of a voice session');
        if (attempt < FINAL_TRIES) await sleep(clock, FINAL_PAUSE_MS);
      }
    }
  }

  #run(): void {
    this.#timer = null;
    this.#isWanted = false;
    this.#running = this.#show()
      .catch((error: unknown) => {
        this.#isWanted = true;
        this.#options.log.warn({ error }, 'Cannot show a voice session');
      })
      .finally(() => {
        this.#running = null;
        this.#editedAtMs = this.#options.clock.monotonic();
        if (this.#isWanted) this.nudge();
      });
  }

  async #show(): Promise<void> {
    const { clock, panels, look } = this.#options;
    const place = this.#place;
    if (!place) return;
    const view = await look();
    const text = JSON.stringify(view);
    if (text === this.#shown) return;
    if (clock.monotonic() - this.#postedAtMs > AGE_MS_MAX) return this.#move(place);
    const isShown = await withDeadline(clock, DEADLINE_MS, (signal) => panels.edit(place, view, signal));
    if (isShown) this.#shown = text;
    else await this.#replace(place);
  }

  async #move(place: PanelPlace): Promise<void> {
    const { clock, panels } = this.#options;
    if (!(await this.#post(place.channelId))) return this.#lose();
    await withDeadline(clock, DEADLINE_MS, (signal) => panels.remove(place, signal));
  }

  async #replace({ channelId }: PanelPlace): Promise<void> {
    if (this.#isReposted || this.#isEnding) return this.#lose();
    this.#isReposted = true;
    if (!(await this.#post(channelId))) this.#lose();
  }

  #lose(): void {
    this.#place = null;
    this.#options.lost();
  }

  async #post(channelId: string): Promise<boolean> {
    const { clock, panels, notes, look } = this.#options;
    const view = await look();
    const place = await withDeadline(clock, DEADLINE_MS, (signal) => panels.post(channelId, view, signal));
    if (!place) return false;
    this.#place = place;
    this.#postedAtMs = clock.monotonic();
    this.#editedAtMs = this.#postedAtMs;
    this.#shown = JSON.stringify(view);
    await notes.note(place);
    return true;
  }
}
