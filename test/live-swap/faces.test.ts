import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sample } from '../use-community.ts';
import { PageClient } from './page-client.ts';
import { linkIn, live, useLiveCommunity } from './use-live-swap.ts';

it('wears a face that the member saved, or one in a picture, and keeps no copy of it', async () => {
  const place = await useLiveCommunity();
  const { ada, general, faces, dataDir } = place;
  const picture = await sample('portrait-woman-brown-hair.jpg');
  const saving = await ada.runs('/face save', { in: general, options: { name: 'Me', picture } });
  const asked = await saving.replied();
  await ada.presses('I may use this face', { on: asked });
  await expect.poll(() => asked.text).toContain('Face saved');

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
  expect(worn.prompt).toContain('Wear the face in');
  expect(status.text).toContain('Wear the face in your picture');
  expect(status.text).not.toMatch(/api\/\w/);
  expect(await readdir(join(dataDir, 'arrivals'))).toEqual([]);
});

it('tells what is wrong with a face, and costs nothing then', async () => {
  const place = await useLiveCommunity();
  const { ada } = place;
  const picture = { name: 'face.jpg', bytes: Buffer.from('This is no picture') };

  const twice = await live(ada, place, 'start', { minutes: 1, face: picture, saved_face: 'me' });
  const gone = await live(ada, place, 'start', { minutes: 1, saved_face: 'nobody' });
  const page = await PageClient.enter(linkIn(await live(ada, place, 'start', { minutes: 1, face: picture })));
  page.says({ type: 'agree', version: (await page.hears('hello')).consent.version });
  page.says({ type: 'start' });
  const problem = await page.hears('problem');

  expect(twice.text).toContain('not both');
  expect(gone.text).toContain('no such face');
  expect(problem.text).toContain('cannot be used');
  expect(place.faces.opened).toEqual([]);
});
