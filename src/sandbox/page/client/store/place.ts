import { type Signal, effect } from '@preact/signals';
import { remembered, textOrNull, textsByName, withText } from './remembered.ts';

export type Scheme = 'system' | 'light' | 'dark';

/** Used instead of a server's id for direct messages. */
export const HOME = 'home';

/** The server and channels that the member has open, and the member's settings. They survive a reload. */
export class Place {
  readonly userId: Signal<string | null> = remembered('user', textOrNull);
  readonly guildId: Signal<string | null> = remembered('server', textOrNull);
  /** The id of the channel shown last in each server, by the server's id. */
  readonly channelIds: Signal<Readonly<Record<string, string>>> = remembered('channels', textsByName);
  readonly scheme: Signal<Scheme> = remembered('scheme', (kept) =>
    kept === 'light' || kept === 'dark' ? kept : 'system',
  );
  readonly isWireOpen: Signal<boolean> = remembered('wire', (kept) => kept === true);
  readonly areMembersShown: Signal<boolean> = remembered('members', (kept) => kept !== false);
  readonly #drafts = remembered('drafts', textsByName);

  constructor() {
    effect(() => {
      const scheme = this.scheme.value;
      if (scheme === 'system') delete document.documentElement.dataset['scheme'];
      else document.documentElement.dataset['scheme'] = scheme;
    });
  }

  /** Returns the unsent text that the member typed into a channel. */
  draftIn(channelId: string): string {
    return this.#drafts.value[this.#draftName(channelId)] ?? '';
  }

  setDraftIn(channelId: string, text: string): void {
    this.#drafts.value = withText(this.#drafts.value, this.#draftName(channelId), text);
  }

  /** Stores the channel to show in a server. */
  chooseChannel(guildId: string, channelId: string): void {
    this.channelIds.value = withText(this.channelIds.value, guildId, channelId);
  }

  #draftName(channelId: string): string {
    return `${this.userId.value} ${channelId}`;
  }
}
