import { expect, test } from 'vitest';
import { useSandbox } from '../../helpers/use-sandbox.ts';
import { usePage } from './use-page.ts';

test('a burst beyond the queue of a page makes it reload, and later events follow', async () => {
  const sandbox = await useSandbox();
  const guild = sandbox.addGuild('Film club');
  const general = guild.addTextChannel('general');
  const ada = guild.addMember('Ada');
  const live = await (await usePage(sandbox)).actsAs(ada.id);
  for (let count = 1; count <= 600; count++) void ada.says(`burst ${count}`, { in: general });
  await expect.poll(() => live.of('resync')).toHaveLength(1);
  expect(live.messages.size).toBe(0);
  await ada.says('After it', { in: general });
  await expect.poll(() => [...live.messages.values()].map(({ content }) => content)).toEqual(['After it']);
});

test('a page that reads nothing for some time gets the newest state, not all earlier ones', async () => {
  const sandbox = await useSandbox();
  const guild = sandbox.addGuild('Film club');
  const general = guild.addTextChannel('general');
  const ada = guild.addMember('Ada');
  const page = await usePage(sandbox);
  const [live, quick] = [await page.actsAs(ada.id), await page.actsAs(guild.addMember('Ben').id)];
  live.socket.pause();
  const rounds = 60;
  for (let round = 1; round <= rounds; round++) {
    guild.addTextChannel(`channel-${round}`);
    for (let count = 0; count < 80; count++) void ada.says('y'.repeat(2000), { in: general });
    await expect.poll(() => quick.messages.size, { interval: 5 }).toBe(round * 80);
  }
  live.socket.resume();
  await expect.poll(() => live.of('resync').length).toBeGreaterThan(0);
  const newest = (): unknown => live.of('guild').at(-1)?.guild.channels.at(-1)?.name;
  await expect.poll(newest).toBe(`channel-${rounds}`);
  expect(live.of('message').length).toBeLessThan(rounds * 80);
  expect(quick.of('resync')).toEqual([]);
});

test('a page that keeps sending requests but reads nothing is cut off, and others continue', async () => {
  const sandbox = await useSandbox();
  const guild = sandbox.addGuild('Film club');
  for (let count = 1; count <= 200; count++) guild.addTextChannel(`channel-${count}`);
  const ada = guild.addMember('Ada');
  const page = await usePage(sandbox);
  const [live, other] = [await page.actsAs(ada.id), await page.actsAs(ada.id)];
  const closed = new Promise<number>((resolve) => live.socket.once('close', resolve));
  live.socket.pause();
  for (let count = 0; count < 1_500; count++) live.send({ t: 'act', as: ada.id });
  live.socket.once('error', () => undefined);
  other.send({ t: 'watch_wire', on: false });
  live.socket.resume();
  expect(await closed).toBe(1006);
  expect(live.of('state').length).toBeLessThan(1_500);
  other.send({ t: 'act', as: ada.id });
  await expect.poll(() => other.of('state').length).toBe(2);
});
