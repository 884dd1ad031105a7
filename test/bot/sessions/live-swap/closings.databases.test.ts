import assert from 'node:assert/strict';
import { expect, test, vi } from 'vitest';
import type { SandboxMember } from '../../../../src/sandbox/script/sandbox-member.ts';
import type { PageClient } from './page-client.ts';
import {
  type LiveCommunity,
  goesLive,
  live,
  usageOf,
  useLiveCommunity,
  useLivePage,
  usePage,
} from './use-live-swap.ts';

interface Place extends LiveCommunity {
  readonly page: PageClient;
}

interface Closing {
  readonly what: string;
  readonly happens: (place: Place) => unknown;
  readonly why: string | null;
  /** How long the session must last before the event, in milliseconds. */
  readonly afterMs?: number;
}

const SILENT_MS = 1_500;
const UNANSWERED_MS = 2_000;
const SETTLED_MS_MAX = 2_000;

async function runs(
  who: SandboxMember,
  { general }: Pick<Place, 'general'>,
  command: string,
  options: NonNullable<Parameters<SandboxMember['runs']>[1]['options']> = {},
): Promise<void> {
  await (await who.runs(command, { in: general, options })).replied();
}

/** Makes the event happen during Ada's session, and measures the time until nothing is open at the service. */
async function closes(place: LiveCommunity, closing: Closing): Promise<void> {
  const { what, happens, why, afterMs = 0 } = closing;
  const page = await goesLive(place);
  const startedAtMs = performance.now();
  const happening = Promise.resolve(happens({ ...place, page }));
  await expect.poll(() => place.faces.taken, { message: what, interval: 20 }).toBe(0);
  const settledMs = performance.now() - startedAtMs;
  await happening;
  assert(settledMs < afterMs + SETTLED_MS_MAX, `${what}: after ${settledMs} ms`);
  if (why !== null) expect({ what, ...(await page.is('ended')) }).toMatchObject({ what, why });
}

/** Events that the member causes. If the page is gone, it cannot show a reason. */
const OF_THE_MEMBER: readonly Closing[] = [
  { what: 'the page is closed', happens: ({ page }) => page.socket.close(), why: null },
  { what: 'the page is cut off', happens: ({ page }) => page.socket.terminate(), why: null },
  { what: 'Stop on the page', happens: ({ page }) => page.says({ type: 'stop' }), why: 'stopped' },
  { what: '/live stop', happens: (place) => live(place.ada, place, 'stop'), why: 'stopped' },
  {
    what: 'no pictures come',
    happens: ({ page }) => page.stopsShowing(),
    why: 'silent',
    afterMs: SILENT_MS,
  },
  {
    what: 'the service is silent',
    happens: ({ faces }) => faces.pause(),
    why: 'lost',
    afterMs: UNANSWERED_MS,
  },
];

test('has no stream open at the service two seconds after the member ends it, and books its cost', async () => {
  const place = await useLiveCommunity({
    bot: (usual) => ({ ...usual, liveSwapLimits: { silentMs: SILENT_MS, unansweredMs: UNANSWERED_MS } }),
  });

  for (const closing of OF_THE_MEMBER) await closes(place, closing);
  place.faces.release();

  const records = await usageOf(place, OF_THE_MEMBER.length);
  const charged = records.reduce((sum, { charged_usd: usd }) => sum + Math.round(usd * 1e6), 0);
  await vi.waitFor(
    async () => {
      const { limit, left } = await place.bot.budget(place.guild.id);
      assert.equal(limit - left, charged);
    },
    { timeout: 5_000, interval: 50 },
  );
  expect(charged).toBeGreaterThan(0);
});

const OF_OTHERS: readonly Closing[] = [
  {
    what: 'never swapped',
    happens: (place) => runs(place.ada, place, '/privacy never-swap', { on: true }),
    why: 'not_allowed',
  },
  {
    what: 'paused',
    happens: (place) => runs(place.guild.owner, place, '/operator pause'),
    why: 'not_allowed',
  },
  {
    what: 'blocked',
    happens: (place) => runs(place.guild.owner, place, '/access block', { member: place.ada }),
    why: 'not_allowed',
  },
  {
    what: 'deleted',
    happens: async ({ ada, general }) => {
      const asked = await (await ada.runs('/privacy delete', { in: general })).replied();
      await ada.presses('Delete everything', { on: asked });
    },
    why: 'consent_gone',
  },
  { what: 'left', happens: ({ ada }) => ada.leaves(), why: 'not_allowed' },
];
/** Undoes an event, so that the next session is possible. */
const UNDO: Readonly<Record<string, (place: LiveCommunity) => Promise<void>>> = {
  'never swapped': (place) => runs(place.ada, place, '/privacy never-swap', { on: false }),
  paused: (place) => runs(place.guild.owner, place, '/operator resume'),
  blocked: (place) => runs(place.guild.owner, place, '/access unblock', { member: place.ada }),
};

test('ends within two seconds after it is no longer allowed', async () => {
  const place = await useLiveCommunity();

  for (const closing of OF_OTHERS) {
    await closes(place, closing);
    await UNDO[closing.what]?.(place);
  }

  expect(place.faces.opened).toHaveLength(OF_OTHERS.length);
});

test.each([
  { what: 'the bot stops', happens: ({ bot }) => bot[Symbol.asyncDispose](), why: 'shutdown' },
  { what: 'the service stops', happens: ({ media }) => media[Symbol.asyncDispose](), why: 'lost' },
  {
    what: 'the bot is removed from the server',
    happens: ({ guild }) => guild.removesBot(),
    why: 'not_allowed',
  },
] satisfies Closing[])('ends when $what', async (closing) => {
  await closes(await useLiveCommunity(), closing);
});

test('opens no session for a page that was closed while it connected, and releases the hold', async () => {
  const place = await usePage();
  const { page, faces, bot, guild } = place;
  faces.closeDoor();
  page.says({ type: 'agree', version: (await page.hears('hello')).consent.version });
  page.says({ type: 'start' });
  await page.is('connecting');
  const held = async (): Promise<number> => {
    const { limit, left } = await bot.budget(guild.id);
    return limit - left;
  };
  await expect.poll(held).toBeGreaterThan(0);

  page.socket.close();

  await expect.poll(held).toBe(0);
  expect((await live(place.ada, place, 'status')).text).not.toContain('live now');
  faces.openDoor();
});

test('takes a shorter grant, shows it, warns, and ends with it', async () => {
  const place = await useLivePage({ media: { grantLive: () => 3 } });
  const { page } = place;

  const warning = await page.hears('warning');
  const states = page.heard.filter((message) => message.type === 'state');
  const live3 = states.find(({ phase }) => phase === 'live');
  const ended = await page.is('ended');
  await vi.waitFor(() => assert(page.closeCode === 4000), { timeout: 8_000 });

  expect(live3).toMatchObject({ grantedSeconds: 3, used: 0, left: 15_000 });
  expect(warning.leftSeconds).toBeLessThanOrEqual(3);
  expect(ended.why).toBe('granted');
  expect(page.state).toMatchObject({ charged: expect.any(Number) as number });
  expect(ended.used).toBeLessThanOrEqual(15_000);
});
