import { type Signal, effect } from '@preact/signals';
import { remembered, textOrNull, textsByName, withText } from './remembered.ts';

export type Scheme = 'system' | 'light' | 'dark';

/** `home` stands for direct messages where a server's id would be. */
export const HOME = 'home';

/** Where somebody is on the page and how they like it; survives a reload. */
export class Place {
  readonly userId: Signal<string | null> = remembered('user', textOrNull);
  readonly guildId: Signal<string | null> = remembered('server', textOrNull);
  /** The channel last looked at, by server. */
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

  /** What the user typed into a channel and did not send. */
  draftIn(channelId: string): string {
    return this.#drafts.value[this.#draftName(channelId)] ?? '';
  }

  setDraftIn(channelId: string, text: string): void {
    this.#drafts.value = withText(this.#drafts.value, this.#draftName(channelId), text);
  }

  /** Makes a channel the one to look at in a server. */
  chooseChannel(guildId: string, channelId: string): void {
    this.channelIds.value = withText(this.channelIds.value, guildId, channelId);
  }

  #draftName(channelId: string): string {
    return `${this.userId.value} ${channelId}`;
  }
}
