import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../db/database.ts';
import { addGuildOf } from '../shards/use-shards.ts';
import { useDatabaseUrl } from '../../db/use-database.ts';
import { runTogether } from '../../db/use-processes.ts';
import { bookProblems } from '../../helpers/exactly-once.ts';
import { killableBot } from '../kill/killable-bot.ts';
import { picture } from '../../media-server/test-engine.ts';
import { useServer } from '../../media-server/use-server.ts';
import { useCommunityWithoutBot } from '../../helpers/use-community.ts';
import { SlowClock } from '../../helpers/slow-clock.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import type { CrowdAnswer, CrowdOptions } from './crowd-process.ts';
import { type Place, atService, usedAtMost } from './crowd-sums.ts';

const CROWD_PROCESS = new URL('crowd-process.ts', import.meta.url);
const PRICE_MICROS = 40_000;
/** The amount that is held for one picture, in micro-dollars. */
const HOLD_MICROS = 60_000;
/** The budget covers ten pictures. */
const BUDGET_MICROS = 10 * HOLD_MICROS;
const PATIENCE_MS = 120_000;
/** The refusal names the budget, the amount that is left, and the time of the next reset. */
const REFUSAL = /not enough of the monthly budget.*\$0\.00.*\$0\.60.*<t:\d+:F>/is;

async function settled({ databaseUrl }: Pick<Place, 'databaseUrl'>): Promise<void> {
  await using db = await openDatabase({ url: databaseUrl });
  const open = (): Promise<unknown> =>
    db.kysely.selectFrom('jobs').select('stage').where('stage', '!=', 'settled').execute();
  await expect.poll(open, { timeout: PATIENCE_MS, interval: 100 }).toEqual([]);
}

test(
  'exactly 10 of 500 simultaneous commands in five processes reach the service, with a budget for 10',
  { timeout: 300_000 },
  async () => {
    const { server: media, engine } = await useServer();
    // No job may end and release part of its hold while others are still being accepted.
    engine.pause();
    const dataDir = await useFolder();
    const databaseUrl = await useDatabaseUrl(join(dataDir, 'masquerade.db'));
    const attached = join(dataDir, 'attached.png');
    await writeFile(attached, await picture(120));
    const place = { media, databaseUrl };
    const { baseUrl, apiKey } = media;
    const parts = { databaseUrl, dataDir, baseUrl, apiKey, picture: attached };
    const options: CrowdOptions = { ...parts, budgetMicros: BUDGET_MICROS, commands: 100 };

    const answers = (await runTogether(CROWD_PROCESS, 5, [JSON.stringify(options)])) as CrowdAnswer[];
    engine.release();
    await settled(place);

    expect(answers.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(10);
    const refusals = answers.flatMap((answer) => answer.refusals);
    expect(refusals).toHaveLength(490);
    for (const refusal of new Set(refusals)) expect(refusal).toMatch(REFUSAL);
    expect(await atService(place)).toEqual({ jobs: 10, chargedMicros: 10 * PRICE_MICROS });
    expect(engine.begun).toHaveLength(10);
    expect(await usedAtMost(place)).toBe(BUDGET_MICROS);
  },
);

test(
  '10 members get a result and 30 a refusal, for 40 simultaneous commands in a server with a budget for 10 and four bot processes',
  { timeout: 300_000 },
  async () => {
    const place = await useCommunityWithoutBot({ sandbox: { clock: new SlowClock() } });
    const { sandbox, media, engine, dataDir, botOptions } = place;
    engine.pause();
    const guild = addGuildOf(sandbox, 2, 4, 'Crowded club');
    const general = guild.addTextChannel('general');
    const members = Array.from({ length: 40 }, (_, index) => guild.addMember(`Member ${index}`));
    const bots = [0, 1, 2, 3].map((shard) => {
      const sharding = { shards: [shard], shardCount: 4 };
      const bot = killableBot({ ...place, sharding, budgetMicros: BUDGET_MICROS });
      onTestFinished(() => bot.kill());
      bot.begin();
      return bot;
    });
    await Promise.all(bots.map((bot) => bot.ready()));
    const image = { name: 'image.png', bytes: await picture(10, 64) };

    const uses = await Promise.all(
      members.map((member) => member.runs('/photo-swap', { in: general, options: { image, face: image } })),
    );
    const patience = { timeoutMs: PATIENCE_MS };
    const decided = await Promise.all(
      uses.map(async (use) => (await use.replyWhere(({ text }) => text !== '', patience)).text),
    );
    engine.release();
    const { databaseUrl = '' } = botOptions;
    await settled({ databaseUrl });

    const refusals = decided.filter((text) => !text.includes('in progress'));
    expect(refusals).toHaveLength(30);
    for (const text of refusals) expect(text).toMatch(REFUSAL);
    const results = general.messages.filter(({ attachments }) => attachments.length === 1);
    expect(results).toHaveLength(10);
    const books = { media, databaseUrl };
    expect(await atService(books)).toEqual({ jobs: 10, chargedMicros: 10 * PRICE_MICROS });
    expect(await usedAtMost(books)).toBe(BUDGET_MICROS);
    expect(await bookProblems({ dataDir, media, messages: results })).toEqual([]);
  },
);
