import { type Signal, signal } from '@preact/signals';
import type { CommandDraft } from './command-draft.ts';
import { FilePicks } from './file-picks.ts';

const FILES_MAX = 10;
/**
 * The maximum number of drafts that are kept. Their previews take memory, so the least recently used ones are deleted.
 */
const DRAFTS_MAX = 20;

/** The draft of a message in a channel. Its text is stored elsewhere, so that the text survives a reload. */
interface ChannelDraft {
  readonly picks: FilePicks;
  /** The command that is being filled in. */
  readonly command: Signal<CommandDraft | null>;
}

/** The drafts of each member in each channel, kept while the page is open. */
export class ChannelDrafts {
  readonly #drafts = new Map<string, ChannelDraft>();

  /** Returns a member's draft in a channel. `sizeBytesMax` is the channel's maximum file size. */
  of(userId: string, channelId: string, sizeBytesMax: number): ChannelDraft {
    const name = `${userId} ${channelId}`;
    const draft = this.#drafts.get(name) ?? {
      picks: new FilePicks({ max: FILES_MAX, sizeBytesMax }),
      command: signal(null),
    };
    this.#drafts.delete(name);
    this.#drafts.set(name, draft);
    for (const [oldest, { picks, command }] of [...this.#drafts].slice(0, -DRAFTS_MAX)) {
      this.#drafts.delete(oldest);
      picks.clear();
      command.value?.clear();
    }
    return draft;
  }
}
