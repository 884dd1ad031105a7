import { stat, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { deleteFace } from '../../../../db/queries/faces.ts';
import { ServiceError } from '../../../../src/base/errors.ts';
import { useFaces } from './use-faces.ts';

const ADA = '100';
const BEN = '200';
const FACES_MAX = 10;
const PENDING_MAX = 5;
const MINUTE_MS = 60_000;
const MEGABYTE = 1024 * 1024;

test.each([
  'A',
  '7',
  'Me smiling',
  "Ünal O'Neil",
  'J.R._the-2nd',
  '名前',
  'x'.repeat(32),
  `  ${'x'.repeat(32)}  `,
])('accepts the name %j, without surrounding spaces', async (name) => {
  const { save, names } = await useFaces();
  await save(ADA, name);
  expect(await names(ADA)).toEqual([name.trim()]);
});

test.each([
  '',
  '   ',
  '.x',
  '-x',
  "'x",
  ' _x',
  'x'.repeat(33),
  '<@1>',
  '@everyone',
  'a\nb',
  'a*b',
  'a`b',
  '😀',
])('rejects the name %j', async (name) => {
  const { begin, fetched } = await useFaces();
  await expect(begin(ADA, name)).rejects.toMatchObject({ code: 'bad_name' });
  expect(fetched).toEqual([]);
});

test('accepts pictures of up to ten megabytes, checked before the download', async () => {
  const { begin } = await useFaces();
  await begin(ADA, 'Me', 'https://cdn.example/a', 10 * MEGABYTE);
  await expect(begin(ADA, 'Me', 'https://cdn.example/a', 10 * MEGABYTE + 1)).rejects.toMatchObject({
    code: 'unusable_picture',
    userMessage: expect.stringContaining('larger than 10 MB'),
  });
});

test('keeps ten faces of a member, who must delete one to save another, whatever others save', async () => {
  const { clock, faces, begin, save, names } = await useFaces();
  for (let count = 1; count < FACES_MAX; count++) await save(ADA, `Face ${count}`);
  const early = await begin(ADA, 'Early');
  await save(ADA, 'Tenth');
  expect(await names(ADA)).toHaveLength(FACES_MAX);

  await expect(begin(ADA, 'Eleventh')).rejects.toMatchObject({ code: 'too_many' });
  await expect(faces.attest(ADA, early.faceId)).rejects.toMatchObject({ code: 'too_many' });
  await save(BEN, 'Me');
  await faces.delete(ADA, 'Face 3');
  await clock.advance(1);
  await faces.attest(ADA, early.faceId);
  expect(await names(ADA)).toHaveLength(FACES_MAX);
  expect((await faces.suggest(ADA, '')).map(({ name }) => name)).toContain('Early');
});

test('keeps the five newest unconfirmed pictures of a member, and drops the oldest for another', async () => {
  const { db, clock, faces, begin } = await useFaces();
  const waiting: string[] = [];
  const bens = await begin(BEN, 'Bens');
  for (let count = 1; count <= PENDING_MAX + 1; count++) {
    await clock.advance(1);
    waiting.push((await begin(ADA, `Face ${count}`)).faceId);
  }
  const [dropped = '', ...others] = waiting;
  await expect(faces.attest(ADA, dropped)).rejects.toMatchObject({ code: 'expired' });
  const links = db.kysely.selectFrom('faces').select('url').where('id', '=', dropped);
  expect(await links.execute()).toEqual([{ url: '' }]);
  for (const id of others) expect((await faces.attest(ADA, id)).id).toBe(id);
  expect((await faces.attest(BEN, bens.faceId)).name).toBe('Bens');
});

test.each([
  { afterMs: 15 * MINUTE_MS - 1, came: 'saved' },
  { afterMs: 15 * MINUTE_MS, came: 'expired' },
])('a press after $afterMs ms: $came', async ({ afterMs, came }) => {
  const { clock, faces, begin } = await useFaces();
  const { faceId } = await begin(ADA, 'Me');
  await clock.advance(afterMs);
  const saved = faces.attest(ADA, faceId).then(
    () => 'saved',
    (error: unknown) => (error as { code: string }).code,
  );
  expect(await saved).toBe(came);
});

test('deletes only the pictures that have waited longer than a confirmation may take', async () => {
  const { db, clock, faces, files, begin, save, bin } = await useFaces();
  const rows = async () =>
    (await db.kysely.selectFrom('faces').select('name').orderBy('name').execute()).map(({ name }) => name);
  await save(ADA, 'A saved one');
  const pending = await begin(ADA, 'B waiting one');
  const deleted = await save(BEN, 'C deleted one');
  await faces.delete(BEN, deleted.id);
  for (const path of [files.incomingPathOf(pending.faceId), files.pathOf(deleted.id)])
    await writeFile(path, 'x');

  await bin.empty();
  expect(await rows()).toEqual(['A saved one', 'B waiting one']);
  await expect(stat(files.pathOf(deleted.id))).rejects.toThrow('ENOENT');
  await clock.advance(16 * MINUTE_MS);
  await bin.empty();
  expect(await rows()).toEqual(['A saved one', 'B waiting one']);
  await clock.advance(1);
  await bin.empty();
  expect(await rows()).toEqual(['A saved one']);
  await expect(stat(files.incomingPathOf(pending.faceId))).rejects.toThrow('ENOENT');
});

test('deletes more faces than fit into one batch', async () => {
  const { db, bin } = await useFaces();
  const row = { user_id: ADA, name: 'Me', state: 'deleted', url: '', created_at_ms: 1 } as const;
  for (const count of [100, 101]) {
    await db.kysely
      .insertInto('faces')
      .values(Array.from({ length: count }, (_, index) => ({ ...row, id: `face_${index}` })))
      .execute();
    await bin.empty();
    expect(await db.kysely.selectFrom('faces').select('id').execute()).toEqual([]);
  }
});

test('saves a face with the time and wording of the confirmation, once, and deletes the link', async () => {
  const { db, clock, faces, begin, fetched, cleaned } = await useFaces();
  const { faceId, attestation } = await begin(ADA, 'Me', 'https://cdn.example/me.png');
  const beganAtMs = clock.now();
  await clock.advance(5_000);
  const saved = await faces.attest(ADA, faceId);
  const savedAtMs = clock.now();
  await clock.advance(5_000);

  expect(await faces.attest(ADA, faceId)).toEqual(saved);
  expect(saved).toEqual({ id: faceId, name: 'Me', isDefault: true, savedAtMs, sizeBytes: 26 });
  expect([fetched, cleaned]).toEqual([['https://cdn.example/me.png'], [ADA]]);
  expect(await db.kysely.selectFrom('faces').selectAll().execute()).toEqual([
    {
      id: faceId,
      user_id: ADA,
      name: 'Me',
      state: 'saved',
      is_default: 1,
      url: '',
      size_bytes: 26,
      created_at_ms: beganAtMs,
      attested_at_ms: savedAtMs,
      text_version: attestation.version,
      scope: 'all_servers',
    },
  ]);
});

test.each([
  { fetch: new ServiceError('too_large', 'x'), answer: 'larger than 10 MB' },
  { fetch: new ServiceError('unavailable', 'x'), answer: 'could not be downloaded' },
  { fetch: new Error('No answer'), answer: 'could not be downloaded' },
  { clean: new ServiceError('wrong_type', 'x'), answer: 'not a picture' },
  { clean: new ServiceError('undecodable', 'x'), answer: 'is damaged' },
  { clean: new ServiceError('too_complex', 'x'), answer: 'is damaged' },
  { clean: new ServiceError('too_many_pixels', 'x'), answer: 'is damaged' },
  { clean: new ServiceError('stopped', 'x'), answer: 'Press the button again in a minute' },
  { clean: new Error('The child died'), answer: 'Press the button again in a minute' },
])('answers "$answer", saves nothing, and accepts another press', async ({ answer, ...trouble }) => {
  const place = await useFaces();
  const { faces, begin, names } = place;
  const { faceId } = await begin(ADA, 'Me');
  Object.assign(place.trouble, trouble);
  const failed = faces.attest(ADA, faceId);
  await expect(failed).rejects.toMatchObject({
    code: 'unusable_picture',
    userMessage: expect.stringContaining(answer),
  });
  expect(await names(ADA)).toEqual([]);
  Object.assign(place.trouble, { fetch: undefined, clean: undefined });
  await faces.attest(ADA, faceId);
  expect(await names(ADA)).toEqual(['Me']);
});

test('a picture that is discarded, or whose member opts out, during its download is not saved', async () => {
  const place = await useFaces();
  const { faces, consents, begin, names } = place;
  const first = await begin(ADA, 'Me');
  place.trouble.whileFetching = () => faces.discard(ADA, first.faceId);
  await expect(faces.attest(ADA, first.faceId)).rejects.toMatchObject({ code: 'expired' });
  delete place.trouble.whileFetching;
  const second = await begin(ADA, 'Me');
  await consents.setNeverSwap(ADA, true);
  await expect(faces.attest(ADA, second.faceId)).rejects.toMatchObject({ code: 'never_swap' });
  expect(place.fetched).toHaveLength(1);
  await consents.setNeverSwap(ADA, false);
  expect(await names(ADA)).toEqual([]);
});

test('a name that was taken during the download is not given twice, and the first face stays', async () => {
  const place = await useFaces();
  const { faces, begin, names } = place;
  const first = await begin(ADA, 'Me');
  const second = await begin(ADA, 'ME');
  place.trouble.whileFetching = () => {
    delete place.trouble.whileFetching;
    return faces.attest(ADA, second.faceId);
  };
  await expect(faces.attest(ADA, first.faceId)).rejects.toMatchObject({ code: 'name_taken' });
  expect(await names(ADA)).toEqual(['ME']);
});

test.each([0, FACES_MAX - 1])(
  'two simultaneous presses save one face, beside %i other faces',
  async (others) => {
    const place = await useFaces();
    const { faces, begin, save, names } = place;
    for (let count = 0; count < others; count++) await save(ADA, `Face ${count}`);
    const { faceId } = await begin(ADA, 'Me');
    place.trouble.whileFetching = () => {
      delete place.trouble.whileFetching;
      return faces.attest(ADA, faceId);
    };
    expect((await faces.attest(ADA, faceId)).isDefault).toBe(others === 0);
    expect((await names(ADA)).filter((name) => name === 'Me')).toEqual(['Me']);
    expect(await names(ADA)).toHaveLength(others + 1);
  },
);

test('each member has one default: the first saved face, until they choose another or delete it', async () => {
  const { clock, faces, begin, save } = await useFaces();
  const defaults = async () => {
    const named = [];
    for (const userId of [ADA, BEN]) {
      const all = await faces.list(userId);
      const chosen = all.filter(({ isDefault }) => isDefault).map(({ name }) => name);
      expect(chosen).toEqual((await faces.default(userId))?.name ? [all[0]?.name] : []);
      named.push(chosen[0] ?? null);
    }
    return named;
  };
  for (const name of ['First', 'Second', 'Third']) {
    await clock.advance(1);
    for (const userId of [ADA, BEN]) await save(userId, name);
  }
  expect(await defaults()).toEqual(['First', 'First']);
  expect(await faces.makeDefault(ADA, 'second')).toMatchObject({ name: 'Second', isDefault: true });
  expect(await defaults()).toEqual(['Second', 'First']);
  await faces.delete(ADA, 'Second');
  expect(await defaults()).toEqual([null, 'First']);
  await save(ADA, 'Second');
  expect(await defaults()).toEqual([null, 'First']);
  await faces.clear(ADA);
  await save(ADA, 'Again');
  expect(await defaults()).toEqual(['Again', 'First']);
  await begin(BEN, 'Waiting');
  await expect(faces.makeDefault(BEN, 'Waiting')).rejects.toMatchObject({ code: 'unknown_face' });
});

test('a saved face cannot be discarded, deleted as unconfirmed, or used by another member', async () => {
  const { db, faces, files, save, names, stored } = await useFaces();
  const { id } = await save(ADA, 'Me');
  await faces.discard(ADA, id);
  await faces.discard(BEN, id);
  // `deleteFace`, which deletes unconfirmed pictures, has no effect either, because the picture has been saved in the
  // meantime.
  await deleteFace(db.kysely, id);
  await expect(faces.attest(BEN, id)).rejects.toMatchObject({ code: 'expired' });
  await expect(faces.delete(BEN, id)).rejects.toMatchObject({ code: 'unknown_face' });
  await expect(faces.makeDefault(BEN, 'Me')).rejects.toMatchObject({ code: 'unknown_face' });
  await faces.clear(BEN);
  expect(await faces.find(BEN, id)).toBeNull();
  expect(await faces.pathOf(id, BEN)).toBeNull();
  expect(await faces.pathOf(id, ADA)).toBe(files.pathOf(id));
  expect([await names(ADA), await stored()]).toEqual([['Me'], [`${id}.jpg`]]);
  await faces.clear(ADA);
  expect([await names(ADA), await stored()]).toEqual([[], []]);
});

test('suggests the names that contain the typed text, and shows the readable pictures', async () => {
  const { clock, faces, files, save } = await useFaces();
  const saved = [];
  for (const name of ['Me', 'Grandma', 'Home']) {
    await clock.advance(1);
    saved.push(await save(ADA, name));
  }
  const suggested = async (typed: string) => (await faces.suggest(ADA, typed)).map(({ name }) => name);
  expect(await suggested('')).toEqual(['Me (default)', 'Home', 'Grandma']);
  expect(await suggested(' ME ')).toEqual(['Me (default)', 'Home']);
  expect(await suggested('default')).toEqual([]);
  expect(await faces.suggest(BEN, '')).toEqual([]);

  const [me, grandma, home] = saved;
  await files.remove(grandma?.id ?? '');
  const previews = await faces.previews(saved);
  expect(previews.map(({ face }) => face)).toEqual([me, home]);
  expect(previews.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([
    'https://cdn.example/Me',
    'https://cdn.example/Home',
  ]);
});
