import type { PostedIn } from './inputs.ts';

/** The files that the bot can see in a channel. Implemented in `src/bot/discord/wire/channel-files.ts`. */
export interface NewestFile {
  /**
   * Finds the newest file of that kind in the channel that has at most `sizeBytesMax`, with a fresh link. Null if there
   * is none. Files for which `isFree` returns false are skipped. Throws if the chat cannot be asked.
   */
  find(
    request: {
      readonly channelId: string;
      readonly kind: 'image' | 'audio' | 'video';
      readonly sizeBytesMax: number;
      readonly isFree: (file: ChannelFile) => Promise<boolean>;
    },
    signal: AbortSignal,
  ): Promise<ChannelFile | null>;
}

/** A file of a message in a channel. */
interface ChannelFile extends PostedIn {
  readonly url: string;
  readonly sizeBytes: number;
}
