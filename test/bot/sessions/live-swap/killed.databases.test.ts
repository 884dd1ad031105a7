import { expect, onTestFinished, test } from 'vitest';
import { createMasquerade } from '../../../../src/compose/create-masquerade.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { useBotProcess } from '../../../helpers/use-bot-process.ts';
import { settledSessions } from '../voice-swap/use-faulty-voice.ts';
import { goesLive, useLiveCommunityWithoutBot } from './use-live-swap.ts';

const QUICK = { beatMs: 100, leaseMs: 1_000, firstLookMs: 50, lookMs: 200 };

test('leaves no stream open after a kill, and keeps its hold until the next process knows the charge of the service', async () => {
  const place = await useLiveCommunityWithoutBot({
    bot: (usual) => ({ ...usual, liveCodec: 'jpeg', liveLimits: QUICK }),
  });
  const { guild, faces, botOptions } = place;
  const child = await useBotProcess(botOptions);
  const page = await goesLive(place);
  await expect
    .poll(() => (page.state.phase === 'live' ? page.state.usedSeconds : 0))
    .toBeGreaterThanOrEqual(1);

  await child.kill();
  await expect.poll(() => faces.taken, { timeout: 2_000 }).toBe(0);
  expect(await page.closed()).toBe(1006);
  const database = await useDatabase(`${place.dataDir}/masquerade.db`);
  const left = await database.kysely.selectFrom('sessions').selectAll().executeTakeFirstOrThrow();
  const held = await database.kysely.selectFrom('holds').selectAll().executeTakeFirstOrThrow();
  const next = await createMasquerade(botOptions);
  onTestFinished(() => next[Symbol.asyncDispose]());
  const [session] = await settledSessions(place);
  const budget = await next.budget(guild.id);

  expect(left).toMatchObject({ state: 'open', max_cost_micros: 1_500_000 });
  expect(held).toMatchObject({ state: 'pending', amount_micros: 1_500_000, subject: left.id });
  expect(session?.row).toMatchObject({ id: left.id, end_reason: 'crashed' });
  expect(session?.row.charged_micros).toBeGreaterThan(0);
  expect(budget.limit - budget.left).toBe(session?.row.charged_micros);
  expect((await goesLive(place)).state.phase).toBe('live');
});
