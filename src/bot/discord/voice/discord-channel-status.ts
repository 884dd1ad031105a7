import type { Client } from 'discord.js';
import { type Clock, withDeadline } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import type { RequestGuard } from '../wire/request-guard.ts';
import { withoutRequest } from '../wire/rest-verdict.ts';

interface DiscordChannelStatusOptions {
  readonly client: Client;
  readonly guard?: RequestGuard;
  readonly clock: Clock;
  readonly log: Logger;
}

const DEADLINE_MS = 10_000;
const TEXT_MAX = 500;

/**
 * Sets the status below a voice channel's name. The bot needs the permission Set Voice Channel Status there, and must
 * be in the channel.
 */
export class DiscordChannelStatus {
  readonly #options: DiscordChannelStatusOptions;

  constructor(options: DiscordChannelStatusOptions) {
    this.#options = options;
  }

  /** Shows the text, cut to 500 characters. Returns false if Discord does not allow this or cannot be reached. */
  set(channelId: string, text: string): Promise<boolean> {
    return this.#put(channelId, text.slice(0, TEXT_MAX));
  }

  clear(channelId: string): Promise<boolean> {
    return this.#put(channelId, null);
  }

  async #put(channelId: string, status: string | null): Promise<boolean> {
    const { client, guard, clock, log } = this.#options;
    try {
      guard?.demandPost();
      await withDeadline(clock, DEADLINE_MS, (signal) =>
        client.rest.put(`/channels/${channelId}/voice-status`, { body: { status }, signal }),
      );
      return true;
    } catch (error) {
      const fields = { channelId, error: withoutRequest(error, 'set a voice channel status') };
      log.warn(fields, 'Cannot set the status of a voice channel');
      return false;
    }
  }
}
