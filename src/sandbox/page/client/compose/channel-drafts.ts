import { type Signal, signal } from '@preact/signals';
import type { CommandDraft } from './command-draft.ts';
import { FilePicks } from './file-picks.ts';

const FILES_MAX = 10;
/** Previews of files take memory: those of the channels left longest ago go. */
const DRAFTS_MAX = 20;

/** What somebody is about to send in a channel, but for the text, which survives a reload. */
interface ChannelDraft {
  readonly picks: FilePicks;
  /** The command that is being filled in. */
  readonly command: Signal<CommandDraft | null>;
}

/** What was begun in each channel by each member, kept while the page is open. */
export class ChannelDrafts {
  readonly #drafts = new Map<string, ChannelDraft>();

  /** What was begun in a channel; `sizeBytesMax` is how large a file may be there. */
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
