import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { SandboxGuild } from '../../../src/sandbox/script/sandbox-guild.ts';

const TRIES_MAX = 10_000;

/** Which of `count` shards hears of a guild, by Discord's formula. */
export function shardOf(guildId: string, count: number): number {
  return Number((BigInt(guildId) >> 22n) % BigInt(count));
}

/**
 * A guild that belongs to that shard. Its id decides, which holds the time: so it may take some that belong to
 * others, which the bot leaves again. Best before the bot runs.
 */
export function addGuildOf(sandbox: Sandbox, shard: number, count: number, name: string): SandboxGuild {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const guild = sandbox.addGuild(name);
    if (shardOf(guild.id, count) === shard) return guild;
    guild.removesBot();
  }
  throw new Error(`No guild became one of shard ${shard} of ${count}`);
}
