import { type Clock, withDeadline } from '../../../../base/clock.ts';
import type { Logger } from '../../../../base/log.ts';
import { PanelKeeper, type PanelKeeperOptions, type PanelNotes } from './panel-keeper.ts';

interface DisclosureOptions extends PanelKeeperOptions {
  readonly channelIds: readonly string[];
  readonly showStatus: ShowStatus;
}

/** Says in the voice channel itself what goes on, null takes it away; false when the chat does not let the bot. */
export type ShowStatus = (channelId: string, text: string | null, signal: AbortSignal) => Promise<boolean>;

const STATUS_TEXT =
  'Voice conversion is on: members who chose so are heard by the bot and speak with another voice.';
const DEADLINE_MS = 4_000;

/** What tells everybody that voices are converted: the panel, and the status of the voice channel. */
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

  /** Shows both, the panel in the first of the channels that takes it; false when neither can be. */
  async show(panelChannelIds: readonly string[]): Promise<boolean> {
    await this.#notes.note(null);
    this.#hasStatus = await this.#status(STATUS_TEXT);
    await this.panel.post(panelChannelIds).catch((error: unknown) => {
      this.#log.warn({ error }, 'Cannot post the panel of a voice session');
    });
    return this.isVisible;
  }

  /** It is over: takes the status away, for which the bot should still be in the channel. */
  async clear(): Promise<void> {
    if (this.#hasStatus) await this.#status(null);
    this.#hasStatus = false;
  }

  /** In all channels; true when it is shown in one of them. */
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
