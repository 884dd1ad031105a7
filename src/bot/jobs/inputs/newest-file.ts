import type { PostedIn } from './inputs.ts';

/** The files that the bot can see in a channel. Implemented in `src/bot/discord/wire/channel-files.ts`. */
export interface NewestFile {
  /**
   * Finds the newest file of the requested kind in the channel that is not larger than `sizeBytesMax`, and returns it
   * with a new link. Returns null if there is none. Skips files for which `isFree` returns false. Throws if the chat
   * cannot be reached.
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

/** A file in a channel message. */
interface ChannelFile extends PostedIn {
  readonly url: string;
  readonly sizeBytes: number;
}
