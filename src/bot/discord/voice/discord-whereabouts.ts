import { type Client, GatewayIntentBits, ShardClientUtil } from 'discord.js';
import type { VoiceWhereabouts } from '../../sessions/voice-swap/desk/voice-whereabouts.ts';

/** Finds the voice channels that members are in, and the categories of voice channels, in a client's cache. */
export class DiscordWhereabouts implements VoiceWhereabouts {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  get isKnown(): boolean {
    return this.#client.isReady() && this.#client.options.intents.has(GatewayIntentBits.GuildVoiceStates);
  }

  channelOf(guildId: string, userId: string): string | null {
    return this.#client.guilds.cache.get(guildId)?.voiceStates.cache.get(userId)?.channelId ?? null;
  }

  placeOf(guildId: string, channelId: string): ReturnType<VoiceWhereabouts['placeOf']> {
    const channel = this.#client.guilds.cache.get(guildId)?.channels.cache.get(channelId);
    if (!channel?.isVoiceBased()) return null;
    const { parentId, nsfw } = channel;
    return { parentChannelIds: parentId === null ? [] : [parentId], isAgeRestricted: nsfw };
  }

  isOurs(guildId: string): boolean {
    const { shards } = this.#client.ws;
    if (!this.#client.isReady()) return false;
    const count = this.#client.options.shardCount ?? shards.size;
    return shards.has(ShardClientUtil.shardIdForGuildId(guildId, count));
  }
}
