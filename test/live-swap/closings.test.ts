import assert from 'node:assert/strict';
import { expect, it, vi } from 'vitest';
import { live, useLivePage } from './use-live-swap.ts';

type Place = Awaited<ReturnType<typeof useLivePage>>;

it.each([
  ['the page is closed', ({ page }) => page.socket.close(), null],
  ['the page is cut off', ({ page }) => page.socket.terminate(), null],
  ['the member stops it', ({ page }) => page.says({ type: 'stop' }), 'stopped'],
  ['the member stops it in the chat', (place) => live(place.ada, place, 'stop'), 'stopped'],
  ['the bot stops', ({ bot }) => bot[Symbol.asyncDispose](), 'shutdown'],
] satisfies [string, (place: Place) => unknown, string | null][])(
  'has nothing open at the service any more soon after %s',
  async (_name, happens, why) => {
    const place = await useLivePage();
    const { faces, page } = place;

    const happening = Promise.resolve(happens(place));
    await expect.poll(() => faces.taken, { timeout: 2_000, interval: 20 }).toBe(0);
    await happening;

    if (why !== null) expect(await page.is('ended')).toMatchObject({ why });
    await expect.poll(() => page.closeCode).not.toBeNull();
  },
);

it.each([
  ['the member has left the server', ({ ada }) => ada.leaves(), 'not_allowed'],
  ['the bot was removed from the server', ({ guild }) => guild.removesBot(), 'not_allowed'],
  [
    'the operator has paused it',
    async ({ guild, general }) => {
      await (await guild.owner.runs('/operator pause', { in: general })).replied();
    },
    'not_allowed',
  ],
  [
    'the member is blocked',
    async ({ guild, general, ada }) => {
      await (await guild.owner.runs('/access block', { in: general, options: { member: ada } })).replied();
    },
    'not_allowed',
  ],
  [
    'the member chose that their face is never swapped',
    async ({ general, ada }) => {
      await (await ada.runs('/privacy never-swap', { in: general, options: { on: true } })).replied();
    },
    'not_allowed',
  ],
  [
    'the member had their data deleted',
    async ({ general, ada }) => {
      const asked = await (await ada.runs('/privacy delete', { in: general })).replied();
      await ada.presses('Delete everything', { on: asked });
    },
    'consent_gone',
  ],
] satisfies [string, (place: Place) => unknown, string][])(
  'ends within seconds after %s',
  async (_name, happens, why) => {
    const place = await useLivePage();

    await happens(place);
    await expect.poll(() => place.faces.taken, { timeout: 8_000, interval: 50 }).toBe(0);

    expect(await place.page.is('ended')).toMatchObject({ why });
  },
);

it('ends when no pictures come, though the page is there', async () => {
  const place = await useLivePage({ bot: (usual) => ({ ...usual, liveSwapLimits: { silentMs: 1_500 } }) });
  const { page, faces } = place;

  page.stopsShowing();
  await expect.poll(() => faces.taken, { timeout: 6_000, interval: 20 }).toBe(0);

  expect(await page.is('ended')).toMatchObject({ why: 'silent' });
});

it('ends when the service answers nothing any more', async () => {
  const place = await useLivePage({
    bot: (usual) => ({ ...usual, liveSwapLimits: { unansweredMs: 1_000 } }),
  });
  const { page, faces } = place;

  faces.pause();
  const state = await page.is('ended');
  faces.release();

  expect(state).toMatchObject({ why: 'lost' });
});

it('takes a shorter grant, shows it, warns, and ends with it', async () => {
  const place = await useLivePage({ media: { grantLive: () => 3 } });
  const { page } = place;

  const warning = await page.hears('warning');
  const states = page.heard.filter((message) => message.type === 'state');
  const live3 = states.find(({ phase }) => phase === 'live');
  const ended = await page.is('ended');
  await vi.waitFor(() => assert(page.closeCode === 4000), { timeout: 8_000 });

  expect(live3).toMatchObject({ grantedSeconds: 3 });
  expect(warning.leftSeconds).toBeLessThanOrEqual(3);
  expect(ended.why).toBe('granted');
  expect(page.state).toMatchObject({ charged: expect.any(Number) as number });
  expect(ended.used).toBeLessThanOrEqual(15_000);
});
