import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LiveFrameCodec } from '../../../../src/bot/sessions/live-swap/live-frame-codec.ts';
import { FULL } from '../../../media-server/sessions/stream-engines.ts';
import { sample } from '../../../helpers/use-community.ts';
import { PageClient } from './page-client.ts';
import {
  type LiveCommunity,
  aPicture,
  linkIn,
  live,
  useLiveCommunity,
  useLivePage,
} from './use-live-swap.ts';

/** Saves a face that Ada may use. */
async function savesFace({ ada, general }: LiveCommunity, name: string): Promise<void> {
  const picture = await sample('portrait-woman-brown-hair.jpg');
  const saving = await ada.runs('/face save', { in: general, options: { name, picture } });
  const asked = await saving.replied();
  await ada.presses('I may use this face', { on: asked });
  await expect.poll(() => asked.text).toContain('Face saved');
}

test('uses a face that the member saved, or one in a picture, and keeps no copy of it', async () => {
  const place = await useLiveCommunity();
  const { ada, faces, dataDir } = place;
  const picture = await sample('portrait-woman-brown-hair.jpg');
  await savesFace(place, 'Me');

  const saved = await PageClient.enter(
    linkIn(await live(ada, place, 'start', { minutes: 1, saved_face: 'me' })),
  );
  const hello = await saved.hears('hello');
  const opened = [faces.opened.length];
  const worn = await saved.goesLive();
  saved.says({ type: 'stop' });
  await saved.is('ended');
  const given = await PageClient.enter(
    linkIn(await live(ada, place, 'start', { minutes: 1, face: picture, prompt: 'smile' })),
  );
  await given.goesLive();
  const status = await live(ada, place, 'status');

  expect(hello.face).toEqual({ name: 'Me' });
  expect(opened).toEqual([0]);
  expect(faces.opened.map(({ face }) => Object.keys(face))).toEqual([['path'], ['path']]);
  expect(worn.prompt).toContain('Wear the face in your picture');
  expect(status.text).toContain('Wear the face in your picture');
  expect(status.text).not.toMatch(/api\/\w/);
  expect(await readdir(join(dataDir, 'arrivals'))).toEqual([]);
});

test('stops using a saved face once its owner has withdrawn the permission', async () => {
  const place = await useLiveCommunity();
  const { ada, general, faces } = place;
  const starts = async (): Promise<PageClient> =>
    PageClient.enter(linkIn(await live(ada, place, 'start', { minutes: 1, saved_face: 'Me' })));
  const deletes = async (): Promise<void> =>
    void (await (await ada.runs('/face delete', { in: general, options: { name: 'Me' } })).replied());
  await savesFace(place, 'Me');

  const page = await starts();
  faces.refusal = FULL;
  page.says({ type: 'agree', version: (await page.hears('hello')).consent.version });
  page.says({ type: 'start' });
  await expect.poll(() => page.problem).toContain('no room');
  faces.refusal = undefined;
  await deletes();
  page.says({ type: 'start' });
  const unstarted = await page.is('ended');
  const unknown = await live(ada, place, 'start', { minutes: 1, saved_face: 'Me' });
  await savesFace(place, 'Me');
  const worn = await starts();
  await worn.goesLive();
  worn.keepsShowing(await aPicture());
  await deletes();
  const ended = await worn.is('ended');

  expect(unstarted).toMatchObject({ why: 'face_gone', charged: 0 });
  expect(unknown.text).toContain('no such face');
  expect(ended).toMatchObject({ why: 'face_gone' });
  expect(ended.text).toContain('is not there any more');
  expect(faces.opened).toHaveLength(1);
  await expect.poll(() => faces.taken).toBe(0);
});

test('explains what is wrong with a face, and charges nothing', async () => {
  const place = await useLiveCommunity();
  const { ada } = place;
  const picture = { name: 'face.jpg', bytes: Buffer.from('This is no picture') };
  const huge = { name: 'face.png', bytes: Buffer.alloc(10 * 1024 * 1024 + 1) };

  const twice = await live(ada, place, 'start', { minutes: 1, face: picture, saved_face: 'me' });
  const gone = await live(ada, place, 'start', { minutes: 1, saved_face: 'nobody' });
  const tooLarge = await live(ada, place, 'start', { minutes: 1, face: huge });
  const page = await PageClient.enter(linkIn(await live(ada, place, 'start', { minutes: 1, face: picture })));
  page.says({ type: 'agree', version: (await page.hears('hello')).consent.version });
  page.says({ type: 'start' });
  const problem = await page.hears('problem');

  expect(twice.text).toContain('not both');
  expect(gone.text).toContain('no such face');
  expect(tooLarge.text).toContain('up to 10 MB');
  expect(problem.text).toContain('cannot be used');
  expect(place.faces.opened).toEqual([]);
});

test("runs with the host's own codec, which need not support faces", async () => {
  const seen: string[] = [];
  const liveCodec: LiveFrameCodec = {
    name: 'test',
    open: () => ({
      toService: (jpeg) => {
        seen.push('up');
        return jpeg;
      },
      toPage: (message) => {
        seen.push('down');
        return Buffer.concat([message, Buffer.from('mark')]);
      },
    }),
  };
  const place = await useLivePage({ bot: { liveCodec } });
  const { ada, page } = place;

  page.says({ type: 'stop' });
  const ended = await page.is('ended');
  const refused = await live(ada, place, 'start', { minutes: 1, saved_face: 'Me' });

  expect(seen.slice(0, 2)).toEqual(['up', 'down']);
  expect(page.frames[0]?.subarray(-4).toString()).toBe('mark');
  expect(ended.used).toBeGreaterThan(0);
  expect(refused.text).toContain('takes no pictures of faces');
});
