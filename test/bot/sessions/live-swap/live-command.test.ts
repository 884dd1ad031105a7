import { expect, test } from 'vitest';
import { PageClient } from './page-client.ts';
import {
  aPicture,
  isGrey,
  linkIn,
  live,
  usageOf,
  useLiveCommunity,
  useLivePage,
  usePage,
} from './use-live-swap.ts';

test('is shown and deleted by /privacy', async () => {
  const { ada, general, page } = await usePage();
  await page.goesLive();

  const seen = await (await ada.runs('/privacy see', { in: general })).replied();
  const asked = await (await ada.runs('/privacy delete', { in: general })).replied();
  await ada.presses('Delete everything', { on: asked });
  await page.is('ended');
  await expect
    .poll(async () => (await (await ada.runs('/privacy see', { in: general })).replied()).text)
    .toContain('**Your camera**: you have not agreed anywhere');

  expect(seen.text).toContain('**Your camera**: you agreed in 1 server');
  expect(seen.text).toContain('**Your speech**: you have not agreed anywhere');
});

test('shows the prompt that the service resolved if the member gave none', async () => {
  const place = await useLivePage({}, { minutes: 1 });
  const { page, ada } = place;

  const status = await live(ada, place, 'status');

  expect((await page.hears('hello')).prompt).toBeNull();
  expect(await page.is('live')).toMatchObject({ prompt: expect.stringContaining('elderly man') as unknown });
  expect(status.text).toMatch(/As the service understood it.*elderly man/);
});

test('asks for consent once in each server', async () => {
  const place = await usePage();
  const { page, ada } = place;
  await page.goesLive();
  page.says({ type: 'stop' });
  await page.is('ended');

  const again = await PageClient.enter(linkIn(await live(ada, place, 'start', { minutes: 1 })));
  again.says({ type: 'start' });

  expect(await again.is('live')).toMatchObject({ grantedSeconds: 60 });
});

test('is requested, opened, agreed to, started, shown and stopped', async () => {
  const place = await useLiveCommunity();
  const { ada, faces, bot, guild } = place;
  const reply = await live(ada, place, 'start', { minutes: 5, prompt: 'an elderly man' });
  const link = linkIn(reply);
  const page = await PageClient.enter(link);
  const hello = await page.hears('hello');
  page.says({ type: 'start' });
  const refused = await page.hears('problem');
  expect(faces.opened).toEqual([]);

  const state = await page.goesLive();
  const picture = await aPicture();
  const back = await page.seesOne(picture);
  const status = await live(ada, place, 'status');
  page.says({ type: 'stop' });
  const ended = await page.is('ended');
  await expect.poll(() => faces.taken).toBe(0);
  expect(await page.closed()).toBe(4000);
  const [record] = await usageOf(place);

  const told = JSON.stringify([page.heard, reply]);
  for (const secret of [place.media.apiKey, '/stream/', 'session_token']) expect(told).not.toContain(secret);
  expect(reply.text).toContain('Your page for Live Swap Pro is ready');
  expect(reply.text).toContain('about $0.30 a minute');
  expect(new URL(link).pathname).toBe('/live/');
  expect(hello).toMatchObject({
    minutes: 5,
    prompt: 'an elderly man',
    perMinute: 300_000,
    guildName: 'Film club',
  });
  expect(refused.text).toContain('agree');
  expect(state).toMatchObject({ grantedSeconds: 300, usedSeconds: 0, used: 0 });
  expect(state.prompt).toContain('an elderly man');
  expect([await isGrey(picture), await isGrey(back)]).toEqual([false, true]);
  expect(status.text).toContain('You are live');
  expect(status.text).toContain('left of 5 min');
  expect(ended).toMatchObject({ why: 'stopped' });
  const settled = page.state;
  expect(settled).toMatchObject({ phase: 'ended', charged: Math.round((record?.charged_usd ?? NaN) * 1e6) });
  const budget = await bot.budget(guild.id);
  expect(budget.limit - budget.left).toBe(settled.phase === 'ended' ? settled.charged : NaN);
});
