import { type Client, Events, type Guild, ShardClientUtil } from 'discord.js';
import type { GuildPresence } from '../../people/members/guild-presence.ts';
import type { GuildNames } from '../../people/operator/guild-names.ts';

/** The guilds that a client is in, as far as its own shards know. */
export class DiscordGuilds implements GuildPresence, GuildNames {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  isIn(guildId: string): boolean | null {
    if (!this.#client.isReady()) return null;
    // Guilds that are temporarily unavailable stay in the cache.
    if (this.#client.guilds.cache.has(guildId)) return true;
    return this.#isOfThisProcess(guildId) ? false : null;
  }

  nameOf(guildId: string): string | null {
    return this.#client.guilds.cache.get(guildId)?.name ?? null;
  }

  ids(): readonly string[] {
    return [...this.#client.guilds.cache.keys()];
  }

  watch(change: (guildId: string, isIn: boolean) => void): Disposable {
    const onDelete = (guild: Guild): void => change(guild.id, false);
    const onCreate = (guild: Guild): void => change(guild.id, true);
    // An outage triggers `GuildUnavailable` instead of `GuildDelete`.
    this.#client.on(Events.GuildDelete, onDelete);
    this.#client.on(Events.GuildCreate, onCreate);
    return {
      [Symbol.dispose]: () => {
        this.#client.off(Events.GuildDelete, onDelete);
        this.#client.off(Events.GuildCreate, onCreate);
      },
    };
  }

  #isOfThisProcess(guildId: string): boolean {
    const { shards } = this.#client.ws;
    const count = this.#client.options.shardCount ?? shards.size;
    return shards.has(ShardClientUtil.shardIdForGuildId(guildId, count));
  }
}
