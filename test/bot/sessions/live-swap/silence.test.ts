import { expect, test, vi } from 'vitest';
import type { LiveSwapLimits } from '../../../../src/bot/sessions/live-swap/live-swap-limits.ts';
import { ShiftedClock } from '../../../helpers/shifted-clock.ts';
import { type LiveCommunity, useLivePage, usePage } from './use-live-swap.ts';
import type { PageClient } from './page-client.ts';

/** A clock whose wall-clock time and monotonic time can both be moved forward. */
class JumpingClock extends ShiftedClock {
  #aheadMs = 0;

  override monotonic(): number {
    return super.monotonic() + this.#aheadMs;
  }

  override shift(ms: number): void {
    super.shift(ms);
    this.#aheadMs += ms;
  }
}

/** Starts Ada's session with a clock that can be moved forward, and with the usual limit for silent pages. */
async function useLivePageInTime(
  liveSwapLimits: Partial<LiveSwapLimits> = {},
): Promise<LiveCommunity & { readonly page: PageClient; readonly clock: JumpingClock }> {
  const clock = new JumpingClock();
  return { ...(await useLivePage({ bot: (usual) => ({ ...usual, clock, liveSwapLimits }) })), clock };
}

/** Waits until the bot has checked its times again and has updated the page. */
async function looksAgain(page: PageClient): Promise<void> {
  const before = page.heard.length;
  await expect.poll(() => page.heard.slice(before).some(({ type }) => type === 'state')).toBe(true);
}

test('ends when the page is silent for ten seconds, and not before', async () => {
  const { page, faces, clock } = await useLivePageInTime();
  page.stopsShowing();
  await looksAgain(page);

  clock.shift(6_000);
  await looksAgain(page);
  expect(page.state.phase).toBe('live');
  clock.shift(4_000);
  const ended = await page.is('ended');

  expect(ended.why).toBe('silent');
  await expect.poll(() => faces.taken, { timeout: 2_000 }).toBe(0);
});

test('blames the page and not the service, however long the page may be silent', async () => {
  const { page } = await useLivePage({
    bot: (usual) => ({ ...usual, liveSwapLimits: { silentMs: 2_000, unansweredMs: 1_000 } }),
  });
  page.stopsShowing();

  expect(await page.is('ended')).toMatchObject({ why: 'silent' });
});

test('costs nothing until the first picture has come back', async () => {
  const { page, faces, bot, guild } = await usePage({
    bot: (usual) => ({ ...usual, liveSwapLimits: { silentMs: 1_500 } }),
  });
  await page.goesLive();

  expect(await page.is('ended')).toMatchObject({ why: 'silent', usedSeconds: 0, used: 0, charged: 0 });
  await expect.poll(() => faces.taken).toBe(0);
  const left = async (): Promise<number> => (await bot.budget(guild.id)).left;
  await expect.poll(left).toBe((await bot.budget(guild.id)).limit);
});

test('warns once, a minute before the end', async () => {
  // The limits for silent pages are longer here, because minutes pass between two of the page's pictures.
  const { page, clock } = await useLivePageInTime({ silentMs: 600_000, unansweredMs: 600_000 });
  const warnings = (): readonly unknown[] => page.heard.filter(({ type }) => type === 'warning');
  clock.shift(235_000);
  await looksAgain(page);
  expect([page.state.phase, warnings()]).toEqual(['live', []]);

  clock.shift(5_000);
  await vi.waitFor(() => expect(warnings()).toHaveLength(1));
  await looksAgain(page);

  expect(warnings()).toEqual([
    { type: 'warning', leftSeconds: expect.toSatisfy((left) => left > 45 && left <= 60) as unknown },
  ]);
  expect(page.state.phase).toBe('live');
});
