import { expect, test } from 'vitest';
import { listCharges } from '../../../db/queries/list-charges.ts';
import { sumByGuild } from '../../../db/queries/sum-by-guild.ts';
import { pageOpenHolds, sumOpenHolds } from '../../../db/queries/holds.ts';
import { insertJob } from '../../../db/queries/jobs.ts';
import { listSettingNames, putSetting, replaceSetting } from '../../../db/queries/settings.ts';
import { micros } from '../../../src/base/money.ts';
import { aJob } from '../a-job.ts';
import { useDatabase } from '../use-database.ts';
import { useLedger } from '../../bot/money/ledger/use-ledger.ts';

test('guilds are summed up from a given time, largest first', async () => {
  const { database, ledger, hold, clock } = await useLedgerOfGuilds();
  await hold('a', 'guild_a', 30);
  await hold('b', 'guild_b', 40);
  await hold('c', 'guild_c', 50);
  await database.transaction('guild:guild_b', (trx) =>
    ledger.post(trx, { subject: 'b', charged: micros(40) }),
  );
  expect(await sumByGuild(database.kysely, { sinceMs: 0, limit: 2 })).toEqual([
    { guildId: 'guild_b', posted: 40, pending: 0 },
    { guildId: 'guild_c', posted: 0, pending: 50 },
  ]);
  const nothing = { posted: 0, pending: 0 };
  expect(await sumByGuild(database.kysely, { sinceMs: clock.now() + 900_000, limit: 9 })).toEqual(
    ['guild_a', 'guild_b', 'guild_c'].map((guildId) => ({ guildId, ...nothing })),
  );
});

test('open holds are summed up by state, and listed page by page', async () => {
  const { database, ledger, hold } = await useLedgerOfGuilds();
  for (const [index, name] of ['a', 'b', 'c'].entries()) await hold(name, 'guild', 10 + index);
  await database.transaction('guild:guild', (trx) => ledger.review(trx, { subject: 'b' }));
  expect(await sumOpenHolds(database.kysely)).toMatchObject({
    pending: { count: 2, amount: 22 },
    review: { count: 1, amount: 11 },
  });
  const page = await pageOpenHolds(database.kysely, ['pending', 'review'], { offset: 1, limit: 5 });
  expect(page).toHaveLength(2);
});

test('the charges of the last successes are found, with the rates that they were computed from', async () => {
  const { database, hold } = await useLedgerOfGuilds();
  const ended = { stage: 'settled', outcome: 'succeeded', settled_at_ms: 9 } as const;
  await database.transaction('guild:guild', async (trx) => {
    await insertJob(trx, aJob('a', { ...ended, charged_micros: micros(7) }));
    await insertJob(trx, aJob('free', { ...ended, charged_micros: micros(0) }));
  });
  await hold('job_a', 'guild', 9);
  expect(await listCharges(database.kysely, aJob('a').capability)).toEqual([
    { charged: 7, rateCard: expect.any(String) },
  ]);
});

test('one of several callers that replace a setting at the same time succeeds', async () => {
  const { kysely } = await useDatabase();
  const first = await Promise.all(
    ['a', 'b', 'c'].map((to) => replaceSetting(kysely, 'x.y', { from: undefined, to })),
  );
  expect(first.filter(Boolean)).toHaveLength(1);
  await putSetting(kysely, 'x.y', 'old');
  const next = await Promise.all(
    ['a', 'b', 'c'].map((to) => replaceSetting(kysely, 'x.y', { from: 'old', to })),
  );
  expect(next.filter(Boolean)).toHaveLength(1);
  expect(await listSettingNames(kysely, 'x.', 5)).toEqual(['x.y']);
});

async function useLedgerOfGuilds() {
  const bench = await useLedger();
  const { database, ledger, clock } = bench;
  const hold = (subject: string, guildId: string, amount: number): Promise<unknown> =>
    bench.hold(subject, amount, { guildId });
  return { database, ledger, clock, hold };
}
