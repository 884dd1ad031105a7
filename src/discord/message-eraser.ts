import { type Client, Routes } from 'discord.js';
import type { MessageEraser } from '../members/ports.ts';
import { judgeRestError, withoutRequest } from './rest-verdict.ts';

/** Deletes the bot's own messages, by channel and message; one that cannot be deleted any more stays. */
export class DiscordEraser implements MessageEraser {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async erase(channelId: string, messageId: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#client.rest.delete(Routes.channelMessage(channelId, messageId), { signal });
    } catch (error) {
      signal.throwIfAborted();
      if (judgeRestError(error).kind === 'unreachable') throw withoutRequest(error, 'delete a message');
    }
  }
}
