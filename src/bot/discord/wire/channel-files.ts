import { type Client, Routes } from 'discord.js';
import { z } from 'zod';
import { judgeRestError, withoutRequest } from './rest-verdict.ts';
import type { NewestFile } from '../../jobs/inputs/newest-file.ts';

type Request = Parameters<NewestFile['find']>[0];
type Found = Awaited<ReturnType<NewestFile['find']>>;

const MESSAGES_LOOKED_AT = 50;
const ACTION = 'look for the newest file of a channel';

const attachment = z.object({
  url: z.string(),
  size: z.number(),
  content_type: z.string().optional(),
  ephemeral: z.boolean().optional(),
});
const messages = z.array(
  z.object({
    id: z.string(),
    author: z.object({ id: z.string() }),
    attachments: z.array(attachment).default([]),
  }),
);

/**
 * Searches the last 50 messages of a channel, newest first. Without the privileged Message Content intent, Discord
 * omits files from other users' messages unless the message mentions the bot. Discord never omits files from the bot's
 * own messages.
 */
export class ChannelFiles implements NewestFile {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async find(request: Request, signal: AbortSignal): Promise<Found> {
    for (const { id: messageId, author, attachments } of await this.#list(request.channelId, signal)) {
      const fitting = attachments.find((one) => fits(one, request));
      if (!fitting) continue;
      const isOwn = author.id === this.#client.user?.id;
      const postedIn = { messageId, authorId: author.id, isOwn };
      const file = { url: fitting.url, sizeBytes: fitting.size, ...postedIn };
      if (await request.isFree(file)) return file;
    }
    return null;
  }

  async #list(channelId: string, signal: AbortSignal): Promise<z.infer<typeof messages>> {
    const query = new URLSearchParams({ limit: String(MESSAGES_LOOKED_AT) });
    try {
      return messages.parse(
        await this.#client.rest.get(Routes.channelMessages(channelId), { query, signal }),
      );
    } catch (error) {
      signal.throwIfAborted();
      // A channel that is gone, or that the bot may not read, contains no file for the bot.
      if (judgeRestError(error).kind === 'refused') return [];
      throw withoutRequest(error, ACTION);
    }
  }
}

function fits(file: z.infer<typeof attachment>, { kind, sizeBytesMax }: Request): boolean {
  const isKind = file.content_type?.startsWith(`${kind}/`) ?? false;
  return isKind && !file.ephemeral && file.size > 0 && file.size <= sizeBytesMax;
}
