import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { SandboxGuild } from '../../../src/sandbox/script/sandbox-guild.ts';

const TRIES_MAX = 10_000;

/** Returns which of `count` shards receives the events of a guild, by Discord's formula. */
export function shardOf(guildId: string, count: number): number {
  return Number((BigInt(guildId) >> 22n) % BigInt(count));
}

/**
 * Adds a guild that belongs to `shard`. The time in a guild's id decides its shard, so guilds of other shards may be
 * added first; the bot is then removed from them. It is best to call this before the bot runs.
 */
export function addGuildOf(sandbox: Sandbox, shard: number, count: number, name: string): SandboxGuild {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const guild = sandbox.addGuild(name);
    if (shardOf(guild.id, count) === shard) return guild;
    guild.removesBot();
  }
  throw new Error(`No guild belongs to shard ${shard} of ${count}`);
}
