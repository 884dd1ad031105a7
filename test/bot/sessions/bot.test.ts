import { expect, test } from 'vitest';
import { openDatabase } from '../../../db/database.ts';
import { insertSession } from '../../../db/queries/sessions.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { micros } from '../../../src/base/money.ts';
import { createMasquerade } from '../../../src/compose/create-masquerade.ts';
import { Ledger } from '../../../src/bot/money/ledger/ledger.ts';
import { databaseUrlIn } from '../../db/database-url.ts';
import { aHold } from '../money/ledger/a-hold.ts';
import { useCommunityWithoutBot } from '../../helpers/use-community.ts';

test('a bot ends and settles the sessions that an earlier process left', async () => {
  const { botOptions, dataDir, guild } = await useCommunityWithoutBot({
    bot: { liveLimits: { beatMs: 200 } },
  });
  await using db = await openDatabase({ url: databaseUrlIn(dataDir) });
  const defaultBudget = { limit: micros(10_000_000), period: 'month', timeZone: 'UTC' } as const;
  const ledger = new Ledger({ clock: systemClock, defaultBudget });
  await db.transaction(`guild:${guild.id}`, async (trx) => {
    const hold = { ...aHold('live_left', micros(600_000)), guildId: guild.id, capability: 'voice_swap' };
    await ledger.hold(trx, hold);
    await insertSession(trx, {
      id: 'live_left',
      guild_id: guild.id,
      channel_id: '1',
      user_id: '2',
      capability: 'voice_swap',
      state: 'opening',
      opened_at_ms: systemClock.now(),
      owner: 'one that died',
      lease_until_ms: systemClock.now() + 500,
    });
  });
  await using bot = await createMasquerade(botOptions);
  const sessions = db.kysely.selectFrom('sessions').select(['state', 'end_reason']);
  await expect
    .poll(() => sessions.execute(), { timeout: 15_000 })
    .toEqual([{ state: 'settled', end_reason: 'not_opened' }]);
  const { left, limit } = await bot.budget(guild.id);
  expect(left).toBe(limit);
});
