import { type Clock, withDeadline } from '../../../../base/clock.ts';
import type { Logger } from '../../../../base/log.ts';
import { PanelKeeper, type PanelKeeperOptions, type PanelNotes } from './panel-keeper.ts';

interface DisclosureOptions extends PanelKeeperOptions {
  readonly channelIds: readonly string[];
  readonly showStatus: ShowStatus;
}

/** Sets the status of a voice channel; null removes it. Returns false if Discord does not allow it. */
export type ShowStatus = (channelId: string, text: string | null, signal: AbortSignal) => Promise<boolean>;

const STATUS_TEXT =
  'Voice conversion is on: members who chose so are heard by the bot and speak with another voice.';
const DEADLINE_MS = 4_000;

/** Shows all members that voices are converted: in the panel, and in the voice channel's status. */
export class Disclosure {
  readonly panel: PanelKeeper;
  readonly #channelIds: readonly string[];
  readonly #showStatus: ShowStatus;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #notes: PanelNotes;
  #hasStatus = false;

  constructor(options: DisclosureOptions) {
    this.panel = new PanelKeeper(options);
    this.#channelIds = options.channelIds;
    this.#showStatus = options.showStatus;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#notes = options.notes;
  }

  get isVisible(): boolean {
    return this.#hasStatus || this.panel.place !== null;
  }

  /**
   * Shows the status, and posts the panel in the first of the given channels that allows it. Returns false if neither
   * can be shown.
   */
  async show(panelChannelIds: readonly string[]): Promise<boolean> {
    await this.#notes.note(null);
    this.#hasStatus = await this.#status(STATUS_TEXT);
    await this.panel.post(panelChannelIds).catch((error: unknown) => {
      this.#log.warn({ error }, 'Cannot post the panel of a voice session');
    });
    return this.isVisible;
  }

  /**
   * Removes the status. Must be called before the bot leaves the channel, because Discord may require the bot to be
   * there.
   */
  async clear(): Promise<void> {
    if (this.#hasStatus) await this.#status(null);
    this.#hasStatus = false;
  }

  /** Sets the status of all channels; returns true if at least one of them shows it. */
  async #status(text: string | null): Promise<boolean> {
    const shown = await Promise.all(this.#channelIds.map((channelId) => this.#statusOf(channelId, text)));
    return shown.includes(true);
  }

  async #statusOf(channelId: string, text: string | null): Promise<boolean> {
    try {
      const show = (signal: AbortSignal): Promise<boolean> => this.#showStatus(channelId, text, signal);
      return await withDeadline(this.#clock, DEADLINE_MS, show);
    } catch (error) {
      this.#log.warn({ error }, 'Cannot change the status of a voice channel');
      return false;
    }
  }
}
