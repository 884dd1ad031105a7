import sharp from 'sharp';
import { expect, test } from 'vitest';
import { OutputClient, PageClient } from './page-client.ts';
import { aPicture, linkIn, live, useLiveCommunity, useLivePage } from './use-live-swap.ts';

test('shows the output to viewers with its address, until the address is withdrawn', async () => {
  const { page } = await useLivePage();
  page.says({ type: 'share' });
  const { url } = await page.hears('output');

  const first = await OutputClient.connect(url ?? '');
  await expect.poll(() => first.frames.length).toBeGreaterThan(2);
  await expect.poll(() => page.state).toMatchObject({ viewers: 1 });
  const others = await Promise.all([1, 2, 3].map(() => OutputClient.connect(url ?? '')));
  const oneTooMany = await OutputClient.connect(url ?? '');
  page.says({ type: 'unshare' });
  await expect.poll(() => first.closeCode).toBe(4002);
  const before = page.frames.length;

  expect(first.heard).toEqual([{ type: 'state', phase: 'live' }]);
  expect(new URL(url ?? '').pathname).toBe('/live/out/');
  expect(oneTooMany.closeCode).toBe(4002);
  await expect.poll(() => others.map(({ closeCode }) => closeCode)).toEqual([4002, 4002, 4002]);
  await expect.poll(() => page.frames.length).toBeGreaterThan(before);
});

test('ends the output with the session', async () => {
  const { page } = await useLivePage();
  page.says({ type: 'share' });
  const { url } = await page.hears('output');
  const output = await OutputClient.connect(url ?? '');

  page.says({ type: 'stop' });

  await expect.poll(() => output.closeCode).toBe(4000);
  expect(output.heard.at(-1)).toEqual({ type: 'state', phase: 'ended' });
});

test('keeps only the newest picture for a page that does not answer, and does not slow others', async () => {
  const { page } = await useLivePage();
  page.says({ type: 'share' });
  const { url } = await page.hears('output');
  const slow = await OutputClient.connect(url ?? '');
  const quick = await OutputClient.connect(url ?? '');
  await expect.poll(() => slow.frames.length).toBeGreaterThan(0);

  slow.answers = false;
  const sentThen = slow.frames.length;
  page.stopsShowing();
  const quickThen = quick.frames.length;
  page.keepsShowing(await aPicture('#fff'), 20);
  await expect.poll(() => quick.frames.length, { timeout: 10_000 }).toBeGreaterThan(quickThen + 30);
  const unanswered = slow.frames.length - sentThen;
  slow.answers = true;
  slow.socket.send(JSON.stringify({ type: 'taken' }));
  await expect.poll(() => slow.frames.length).toBeGreaterThan(sentThen + unanswered);
  const [brightness] = await sharp(slow.frames.at(-1)).raw().toBuffer();

  expect(unanswered).toBeLessThanOrEqual(3);
  expect(brightness).toBeGreaterThan(200);
});

test('queues nothing for a slow service', async () => {
  const { page, faces } = await useLivePage();
  page.stopsShowing();
  await expect.poll(() => page.heard.filter(({ type }) => type === 'taken').length).toBeGreaterThan(0);
  faces.pause();
  const before = page.frames.length;
  const pictures = await Promise.all(['#000', '#333', '#666', '#fff'].map((colour) => aPicture(colour)));
  for (const picture of pictures) page.shows(picture);
  const shown = page.heard.filter(({ type }) => type === 'taken').length;
  await expect
    .poll(() => page.heard.filter(({ type }) => type === 'taken').length)
    .toBeGreaterThan(shown - 1);
  // The service is working on one picture, and has kept only the newest of the others.
  faces.release();
  await expect.poll(() => page.frames.length).toBeGreaterThan(before);

  await expect.poll(async () => (await sharp(page.frames.at(-1)).raw().toBuffer())[0]).toBeGreaterThan(200);
  expect(page.frames.length - before).toBeLessThanOrEqual(3);
});

const HOSTILE: readonly (readonly [string, (send: Send) => void, number])[] = [
  ['a text that is not a message', (send) => send('hello'), 1008],
  ['a message of another kind', (send) => send('{"type":"open","minutes":240}'), 1008],
  [
    'more than the size of a message',
    (send) => send(`{"type":"agree","version":"${'x'.repeat(3_000)}"}`),
    1008,
  ],
  ['a picture that is too large', (send) => send(Buffer.alloc(1_100_000)), 1009],
  ['endless commands', (send) => repeat(50, () => send('{"type":"unshare"}')), 1008],
  ['endless messages', (send) => repeat(1_000, () => send('{"type":"taken"}')), 1008],
];

test('closes a page that sends an invalid message', async () => {
  const place = await useLiveCommunity();

  const codes: [string, number][] = [];
  for (const [what, sends] of HOSTILE) {
    const page = await PageClient.enter(linkIn(await live(place.ada, place, 'start', { minutes: 1 })));
    sends((data) => page.socket.send(data));
    codes.push([what, await page.closed()]);
  }

  expect(codes).toEqual(HOSTILE.map(([what, , code]) => [what, code]));
});

test('drops messages that are not pictures, and pictures above the rate', async () => {
  const { page, faces } = await useLivePage();
  page.stopsShowing();
  const before = page.frames.length;

  page.shows(Buffer.alloc(5_000, 7));
  page.shows(Buffer.from([0xff, 0xd8, 0xff]));
  const picture = await aPicture();
  for (let n = 0; n < 200; n++) page.shows(picture);
  await expect.poll(() => page.frames.length).toBeGreaterThan(before);

  expect(page.state.phase).toBe('live');
  expect(faces.taken).toBe(1);
});

type Send = (data: string | Buffer) => void;

function repeat(times: number, act: () => void): void {
  for (let n = 0; n < times; n++) act();
}
