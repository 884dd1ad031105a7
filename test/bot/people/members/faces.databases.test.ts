import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import type { Clock } from '../../../../src/base/clock.ts';
import type { MessageView } from '../../../../src/sandbox/script/message-view.ts';
import type { UseOfBot } from '../../../../src/sandbox/script/use-of-bot.ts';
import { ShiftedClock } from '../../../helpers/shifted-clock.ts';
import { type Community, type sample, useCommunity } from '../../../helpers/use-community.ts';

const PRESS = 'I may use this face';

/** A real-time clock that shortens the time limit for a download to one second. */
class HurriedClock extends ShiftedClock {
  override after(...[delayMs, ...rest]: Parameters<Clock['after']>): ReturnType<Clock['after']> {
    return super.after(delayMs === 20_000 ? 1_000 : delayMs, ...rest);
  }
}

type Picture = Awaited<ReturnType<typeof sample>>;

/** Returns a tall picture as if from a camera that was held sideways, with location metadata. */
async function photo(name = 'me.jpg'): Promise<Picture> {
  const plain = sharp({
    create: { width: 60, height: 40, channels: 3, background: { r: 200, g: 80, b: 10 } },
  });
  const bytes = await plain
    .withMetadata({
      orientation: 6,
      exif: { IFD3: { GPSLatitude: '52/1 31/1 0/1', GPSLatitudeRef: 'N' } },
    })
    .jpeg()
    .toBuffer();
  return { name, bytes };
}

async function save({ ada, general }: Community, name: string, picture?: Picture): Promise<MessageView> {
  const options = { picture: picture ?? (await photo()), name };
  return (await ada.runs('/face save', { in: general, options })).replied();
}

/** Has Ada press a button of `message`. Returns the reply. */
async function press({ ada }: Community, button: string, message: MessageView): Promise<MessageView> {
  const before = message.text;
  const use: UseOfBot = await ada.presses(button, { on: message });
  await expect.poll(() => message.text !== before || use.followUps.length > 0).toBe(true);
  return use.followUps[0] ?? message;
}

async function list({ ada, general }: Community): Promise<MessageView> {
  return (await ada.runs('/face list', { in: general })).replied();
}

const files = ({ dataDir }: Community): Promise<string[]> => readdir(join(dataDir, 'faces'));

test('fetches no picture before its member has confirmed in private that they may use the face', async () => {
  const place = await useCommunity();

  const asked = await save(place, 'Me smiling');
  const { text } = asked;
  const before = await files(place);
  const answer = await press(place, PRESS, asked);

  expect(asked.flags.ephemeral).toBe(true);
  expect(text).toContain('it is your own face, or its owner has agreed');
  expect(before).toEqual([]);
  expect(answer.text).toContain('**Me smiling** is saved for you alone.');
  expect(answer.components).toEqual([]);
  expect(await files(place)).toHaveLength(1);
});

test('stores the picture upright and without its location, readable only by the user of the process', async () => {
  const place = await useCommunity();
  await press(place, PRESS, await save(place, 'Me'));

  const folder = join(place.dataDir, 'faces');
  const [file = ''] = await files(place);
  const { width, height, exif, orientation } = await sharp(join(folder, file)).metadata();

  expect([width, height]).toEqual([40, 60]);
  expect(exif).toBeUndefined();
  expect(orientation).toBeUndefined();
  expect((await stat(folder)).mode & 0o077).toBe(0);
});

test('lists the faces with a small picture of each, the default first', async () => {
  const place = await useCommunity();
  await press(place, PRESS, await save(place, 'Me'));
  await press(place, PRESS, await save(place, 'Grandma'));
  const { ada, general } = place;
  await (await ada.runs('/face default', { in: general, options: { name: 'grandma' } })).replied();

  const shown = await list(place);
  const choices = await ada.completes('/face delete', { in: general, option: 'name', typed: 'ra' });

  expect(shown.flags.ephemeral).toBe(true);
  expect(shown.text).toMatch(/\*\*Grandma\*\* \(default\).*\n- \*\*Me\*\*, saved/);
  expect(shown.attachments.map(({ description }) => description)).toEqual(['Grandma', 'Me']);
  expect((await sharp(shown.attachments[0]?.bytes()).metadata()).width).toBe(160);
  expect(choices.map(({ name }) => name)).toEqual(['Grandma (default)']);
});

test('keeps nothing of a picture that its member does not confirm', async () => {
  const clock = new ShiftedClock();
  const place = await useCommunity({ bot: { clock } });

  const dropped = await press(place, 'Cancel', await save(place, 'Me'));
  const late = await save(place, 'Me');
  clock.shift(15 * 60_000);
  const refused = await press(place, PRESS, late);

  expect(dropped.text).toContain('nothing is kept');
  expect(refused.text).toContain('no longer waiting');
  expect((await list(place)).text).toContain('No saved faces');
  expect(await files(place)).toEqual([]);
});

test('explains what is wrong with a picture, and saves nothing', async () => {
  const place = await useCommunity();

  const text = { name: 'me.jpg', bytes: Buffer.from('no picture at all') };
  const cut = await photo();
  const damaged = { name: 'me.jpg', bytes: cut.bytes.slice(0, cut.bytes.byteLength - 200) };

  expect((await press(place, PRESS, await save(place, 'A', text))).text).toContain('not a picture');
  expect((await press(place, PRESS, await save(place, 'B', damaged))).text).toContain('is damaged');
  expect((await list(place)).text).toContain('No saved faces');
  expect(await files(place)).toEqual([]);
});

test('reports that the chat does not deliver the picture, and lets the member press again', async () => {
  const place = await useCommunity();
  const asked = await save(place, 'Me');
  place.sandbox.faults.failNextDownload({ status: 404 });

  const first = await press(place, PRESS, asked);
  const second = await press(place, PRESS, asked);

  expect(first.text).toContain('Press the button again');
  expect(second.text).toContain('is saved for you alone');
});

test('gives up a picture that does not arrive in time, and answers in private', async () => {
  const place = await useCommunity({ bot: { clock: new HurriedClock() } });
  const asked = await save(place, 'Me');
  place.sandbox.faults.failNextDownload({ delayMs: 10_000 });

  const late = await press(place, PRESS, asked);
  const left = await files(place);
  const second = await press(place, PRESS, asked);

  expect(late.id).not.toBe(asked.id);
  expect(late.flags.ephemeral).toBe(true);
  expect(late.text).toContain('could not be downloaded from Discord. Press the button again');
  expect(left).toEqual([]);
  expect(second.text).toContain('is saved for you alone');
});

test('accepts each name once, and only plain names', async () => {
  const place = await useCommunity();
  await press(place, PRESS, await save(place, 'Me'));

  expect((await save(place, 'ME')).text).toContain('a face of that name already');
  expect((await save(place, '@everyone')).text).toContain('letters, digits and spaces');
  expect((await save(place, '<@1>')).text).toContain('letters, digits and spaces');
});

test('deletes the picture with the face', async () => {
  const place = await useCommunity();
  const { ada, general } = place;
  await press(place, PRESS, await save(place, 'Me'));

  const gone = await (await ada.runs('/face delete', { in: general, options: { name: 'Me' } })).replied();
  const again = await (await ada.runs('/face delete', { in: general, options: { name: 'Me' } })).replied();

  expect(gone.text).toContain('**Me** and its picture are gone.');
  expect(again.text).toContain('no saved face of that name');
  expect(await files(place)).toEqual([]);
});
