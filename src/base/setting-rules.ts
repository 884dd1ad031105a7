/** The hosts on which Discord keeps attachments. */
export const DISCORD_CDN_HOSTS: readonly string[] = ['cdn.discordapp.com', 'media.discordapp.net'];
export const COOLDOWN_SECONDS_MAX = 86_400;
export const CONCURRENT_JOBS_MAX = 50;

/** Whether one process can run these shards out of `count`: each exists and is listed once. */
export function areShardsOf(shards: readonly number[] | 'auto', count: number | null): boolean {
  if (shards === 'auto') return true;
  return count !== null && new Set(shards).size === shards.length && shards.every((id) => id < count);
}
