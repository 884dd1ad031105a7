import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../db/database.ts';
import { databaseUrlIn } from '../../db/database-url.ts';
import { COMMAND_DEFINITIONS } from '../../../commands/all.ts';
import type { Exchange } from '../../../src/sandbox/rest-exchange.ts';
import type { SandboxChannel, SandboxGuild } from '../../../src/sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../../src/sandbox/script/sandbox-member.ts';
import type { MessageView } from '../../../src/sandbox/script/message-view.ts';
import { bookProblems } from '../../helpers/exactly-once.ts';
import type { BotProcess } from '../../helpers/bot-process.ts';
import { killableBot } from '../kill/killable-bot.ts';
import { picture } from '../../media-server/test-engine.ts';
import { type Community, useCommunityWithoutBot } from '../../helpers/use-community.ts';
import { SlowClock } from '../../helpers/slow-clock.ts';
import { addGuildOf } from './use-shards.ts';

const DAY_MS = 86_400_000;
const SHARDS = 2;
const PATIENCE_MS = 60_000;

interface Club {
  readonly guild: SandboxGuild;
  readonly general: SandboxChannel;
  readonly member: SandboxMember;
}

interface Sharded extends Omit<Community, 'bot'> {
  /** The clubs by shard. */
  readonly clubs: readonly [Club, Club];
  readonly commandCalls: readonly Exchange[];
  /** Starts a shard's process. */
  readonly start: (shard: number, aheadMs?: number) => Promise<BotProcess>;
}

/** Creates a club on each of two shards, without a running bot. */
async function useShardedClubs(): Promise<Sharded> {
  const commandCalls: Exchange[] = [];
  const observe = (exchange: Exchange): void => {
    if (exchange.path.includes('/commands')) commandCalls.push(exchange);
  };
  const place = await useCommunityWithoutBot({
    isFirstStart: true,
    sandbox: { observe, clock: new SlowClock() },
  });
  const club = (shard: number): Club => {
    const guild = addGuildOf(place.sandbox, shard, SHARDS, `Club ${shard}`);
    return { guild, general: guild.addTextChannel('general'), member: guild.addMember('Bo') };
  };
  const start = async (shard: number, aheadMs = 0): Promise<BotProcess> => {
    const bot = killableBot({ ...place, sharding: { shards: [shard], shardCount: SHARDS } });
    onTestFinished(() => bot.kill());
    bot.begin(aheadMs);
    await bot.ready();
    return bot;
  };
  return { ...place, clubs: [club(0), club(1)], commandCalls, start };
}

async function swap({ member, general }: Club): Promise<() => Promise<MessageView>> {
  const image = { name: 'image.png', bytes: await picture(10, 64) };
  const face = { name: 'face.png', bytes: await picture(200, 64) };
  const use = await member.runs('/photo-swap', { in: general, options: { image, face } });
  return () => use.replyWhere(({ attachments }) => attachments.length === 1, { timeoutMs: PATIENCE_MS });
}

async function departed(dataDir: string): Promise<string[]> {
  await using db = await openDatabase({ url: databaseUrlIn(dataDir) });
  const rows = await db.kysely.selectFrom('departed_guilds').select('guild_id').execute();
  return rows.map((row) => row.guild_id);
}

async function guildsWithJobs(dataDir: string): Promise<string[]> {
  await using db = await openDatabase({ url: databaseUrlIn(dataDir) });
  const jobs = db.kysely.selectFrom('jobs').select('guild_id').distinct();
  // When the data of a departed guild is removed, its jobs stay, under pseudonyms.
  const rows = await jobs.where('user_id', 'not like', 'gone%').execute();
  return rows.map((row) => row.guild_id).sort();
}

test(
  'two processes with a shard each answer their own guilds, share the work, and double nothing',
  { timeout: 180_000 },
  async () => {
    const place = await useShardedClubs();
    const { clubs, sandbox, media, dataDir, commandCalls } = place;

    const [first, second] = await Promise.all([place.start(0), place.start(1)]);
    expect(sandbox.commands()).toHaveLength(COMMAND_DEFINITIONS.length);
    expect(commandCalls.filter(({ method }) => method === 'POST')).toHaveLength(COMMAND_DEFINITIONS.length);
    expect(commandCalls.filter(({ method }) => method === 'GET')).toHaveLength(2);

    const swaps = await Promise.all([...clubs, ...clubs, ...clubs].map((club) => swap(club)));
    await Promise.all(swaps.map((result) => result()));
    for (const { general } of clubs) expect(general.messages).toHaveLength(3);

    // A job that one process accepted and could not complete is completed by the other process, although that process
    // does not see the job's guild.
    await second.arm({ stage: 'accepted', moment: 'starting' });
    await first.kill();
    const orphan = await swap(clubs[1]);
    await second.died();
    const heir = await place.start(0);
    await orphan();
    expect(clubs[1].general.messages).toHaveLength(4);

    const messages = clubs.flatMap(({ general }) => general.messages);
    await expect.poll(() => bookProblems({ dataDir, media, messages }), { timeout: PATIENCE_MS }).toEqual([]);
    await heir.kill();
  },
);

test('a guild of another shard is not considered left', { timeout: 180_000 }, async () => {
  const place = await useShardedClubs();
  const { clubs, dataDir } = place;
  const both = async (aheadMs: number): Promise<readonly BotProcess[]> =>
    Promise.all([place.start(0, aheadMs), place.start(1, aheadMs)]);
  const end = (bots: readonly BotProcess[]): Promise<unknown> => Promise.all(bots.map((bot) => bot.kill()));
  const ids = clubs.map(({ guild }) => guild.id).sort();

  const early = await both(0);
  for (const club of clubs) await (await swap(club))();
  await end(early);

  // Each process checks for departed guilds when it starts, even while the other process is not running, and would
  // remove the data of guilds that departed 60 days ago.
  const alone = await place.start(0, 60 * DAY_MS);
  const later = await place.start(1, 120 * DAY_MS);
  clubs[1].guild.removesBot();
  await expect.poll(() => departed(dataDir), { timeout: PATIENCE_MS }).toEqual([clubs[1].guild.id]);
  expect(await guildsWithJobs(dataDir)).toEqual(ids);
  await end([alone, later]);

  const late = await both(151 * DAY_MS);
  await expect.poll(() => guildsWithJobs(dataDir), { timeout: PATIENCE_MS }).toEqual([clubs[0].guild.id]);
  await expect.poll(() => departed(dataDir), { timeout: PATIENCE_MS }).toEqual([]);
  await end(late);
});
