import { expect, test } from 'vitest';
import { micros } from '../../../../src/base/money.ts';
import { FULL } from '../../../media-server/sessions/stream-engines.ts';
import { live, useLiveCommunity, usePage } from './use-live-swap.ts';

test('is refused before anything is held or opened when the budget does not allow it', async () => {
  const place = await useLiveCommunity();
  const { guild, general, ada, bot, faces } = place;
  const set = await guild.owner.runs('/budget set', {
    in: general,
    options: { amount: '1', period: 'day', capability: 'live_swap_pro' },
  });
  await set.replied();

  const refused = await live(ada, place, 'start', { minutes: 4 });
  const allowed = await live(ada, place, 'start', { minutes: 3 });

  expect(refused.text).toContain('Live Swap Pro');
  expect(refused.text).toContain('$1.20');
  expect(refused.text).toContain('Nothing was charged.');
  expect(refused.components).toEqual([]);
  expect(allowed.text).toContain('Your page for Live Swap Pro is ready');
  expect(faces.opened).toEqual([]);
  const { limit, left } = await bot.budget(guild.id);
  expect(left).toBe(limit);
});

test('is refused at the start on the page if the budget was used up meanwhile, and can be tried again', async () => {
  const place = await usePage();
  const { guild, general, page, faces } = place;
  const budget = async (amount: string): Promise<void> => {
    await (
      await guild.owner.runs('/budget set', { in: general, options: { amount, period: 'day' } })
    ).replied();
  };
  await budget('1');

  page.says({ type: 'agree', version: (await page.hears('hello')).consent.version });
  page.says({ type: 'start' });
  const problem = await page.hears('problem');
  const waiting = await page.is('waiting');
  await budget('5');
  page.says({ type: 'start' });
  await page.is('live');

  expect(problem.text).toContain('$1.50 of the budget');
  expect(waiting.agreed).toBe(true);
  expect(faces.opened).toHaveLength(1);
});

test('reports that the service has no room, and holds nothing', async () => {
  const place = await usePage();
  const { page, faces, bot, guild } = place;
  faces.refusal = FULL;

  page.says({ type: 'agree', version: (await page.hears('hello')).consent.version });
  page.says({ type: 'start' });
  await expect.poll(() => page.problem, { timeout: 20_000 }).toContain('no room');
  await page.is('waiting');

  const { limit, left } = await bot.budget(guild.id);
  expect(left).toBe(limit);
});

test.each([
  ['no codec', { liveCodec: undefined }, 'LIVE_CODEC'],
  ['no address', { publicUrl: undefined }, 'PUBLIC_URL'],
  ['a rule', {}, 'switched this command off'],
] as const)('says what is missing with %s', async (_name, { ...changes }, said) => {
  const place = await useLiveCommunity({
    bot: (usual) => {
      const all = Object.entries({ ...usual, ...changes }).filter(([, value]) => value !== undefined);
      return Object.fromEntries(all) as unknown as typeof usual;
    },
  });
  const { guild, general, ada } = place;
  if (said.startsWith('switched')) {
    const options = { capability: 'live_swap_pro' };
    await (await guild.owner.runs('/access deny', { in: general, options })).replied();
  }

  const reply = await live(ada, place, 'start', { minutes: 1 });

  expect(reply.text).toContain(said);
  expect(reply.text).toContain('Nothing was charged.');
  expect(reply.components).toEqual([]);
  expect(place.faces.opened).toEqual([]);
  const { limit, left } = await place.bot.budget(guild.id);
  expect(left).toBe(limit);
});

test('accepts 1 to 240 whole minutes, and prompts of at most 2,000 characters', async () => {
  const rich = { limit: micros(100_000_000), period: 'month', timeZone: 'UTC' } as const;
  const { ada, general, ...place } = await useLiveCommunity({
    bot: { defaultBudget: rich },
    media: { openingBalance: micros(100_000_000) },
  });
  const run = (options: object): Promise<unknown> =>
    ada.runs('/live start', { in: general, options: { ...options } });

  await expect(run({})).rejects.toThrow('"minutes" is required');
  for (const minutes of [0, 241, 1.5]) await expect(run({ minutes })).rejects.toThrow('minutes');
  await expect(run({ minutes: 1, prompt: 'x'.repeat(2_001) })).rejects.toThrow('prompt');
  for (const minutes of [1, 240]) {
    const options = { minutes, prompt: 'x'.repeat(2_000) };
    const reply = await live(ada, { general }, 'start', options);
    expect(reply.text).toContain(`at most about $${(0.3 * minutes).toFixed(2)}`);
  }
  expect(place.faces.opened).toEqual([]);
});
