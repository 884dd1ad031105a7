import { readFile, utimes, writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { listInputOwners } from '../../../../db/queries/input-owners.ts';
import type { InputRequest, InputSource } from '../../../../src/bot/jobs/inputs/inputs.ts';
import { picture } from '../../../media-server/test-engine.ts';
import { taggedMedia } from '../../media/tagged-media.ts';
import { SECRET, containsWords } from '../../media/use-media.ts';
import { fromChat, image, linkOf, useInputs } from '../use-inputs.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import type { NewestFile } from '../../../../src/bot/jobs/inputs/newest-file.ts';
import type { SavedFaces } from '../../../../src/bot/jobs/inputs/saved-faces.ts';

async function aPhoto(orientation: number): Promise<Buffer> {
  return sharp(await picture(80))
    .jpeg()
    .withMetadata({ orientation })
    .withExifMerge({
      IFD0: { Copyright: SECRET },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '48/1 51/1 30/1' },
    })
    .toBuffer();
}

/**
 * Returns the pixels of a picture. A result contains markings that an input does not have, so only their pixels can be
 * equal.
 */
function pixelsOf(bytes: Uint8Array): Promise<Buffer> {
  return sharp(bytes).raw().toBuffer();
}

function text(source: InputSource): InputRequest {
  return { field: 'script', option: 'script', kind: 'text', source };
}

describe('what goes to the service', () => {
  test('has no location and no texts in it, but keeps its orientation', async () => {
    const photo = await aPhoto(6);
    expect(containsWords(photo)).toBe(true);
    const bench = await useInputs({ photo, face: await picture(60) });

    const jobId = await bench.command('a', {
      inputs: [image('image', fromChat('photo')), image('face', fromChat('face'))],
    });

    const upload = bench.received.find(
      ({ url, body }) => url.endsWith('/uploads') && body.includes('image/jpeg'),
    );
    expect(upload && containsWords(upload.body)).toBe(false);
    expect(upload?.body.includes('GPS')).toBe(false);
    const kept = await bench.kept(jobId, 'image_key');
    expect(upload?.body.includes(kept)).toBe(true);
    expect((await sharp(kept).metadata()).orientation).toBe(6);
    expect(await bench.arriving()).toEqual([]);
  });

  test.each([
    ['a PDF', Buffer.from('%PDF-1.7\n1 0 obj')],
    ['a ZIP', Buffer.from('504b0304140000000800', 'hex')],
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ])('is never %s: no request is made for it', async (_name, bytes) => {
    const bench = await useInputs({ bytes });

    await bench.command('a', { inputs: [image('image', fromChat('bytes'))] });

    expect(bench.asked).toMatchObject({ upload: 0, submit: 0 });
    expect(bench.publisher.cards).toMatchObject([
      {
        failure: { reason: 'input', option: 'image', problem: { kind: 'wrong_type', expected: 'image' } },
        charged: 0,
      },
    ]);
    expect(await bench.arriving()).toEqual([]);
  });

  test('is refused when its metadata cannot be removed, with an explanation', async () => {
    const tiff = await sharp(await picture(40))
      .tiff()
      .toBuffer();
    const bench = await useInputs({ tiff });

    await bench.command('a', { inputs: [image('image', fromChat('tiff'))] });

    expect(bench.asked.upload).toBe(0);
    expect(bench.publisher.cards).toMatchObject([
      { failure: { problem: { kind: 'unsupported_format', format: 'TIF' } } },
    ]);
  });

  test('is of the kind that its field accepts', async () => {
    const bench = await useInputs({ photo: await aPhoto(1), sound: await taggedMedia('mp3') });
    const input = { field: 'audio_key', option: 'audio', kind: 'audio', source: fromChat('photo') } as const;

    await bench.command('a', { capability: 'lip_sync', inputs: [input] });

    expect(bench.publisher.cards).toMatchObject([
      { failure: { option: 'audio', problem: { kind: 'wrong_type', expected: 'audio' } } },
    ]);
    expect(bench.asked.upload).toBe(0);
  });
});

describe('a script in a file', () => {
  test('becomes the field itself, without its byte order mark and surrounding blanks', async () => {
    const bench = await useInputs({ words: Buffer.from('\uFEFF  Grüß Gott! 👋\n') });

    await bench.command('a', { capability: 'avatar', inputs: [text(fromChat('words'))] });

    expect(bench.submitted()).toEqual([{ script: 'Grüß Gott! 👋' }]);
    expect(bench.asked.upload).toBe(0);
  });

  test.each<[string, Uint8Array, object]>([
    ['not UTF-8', Buffer.from([0x47, 0x72, 0xfc, 0xdf]), { kind: 'not_text' }],
    ['a picture', Buffer.from('89504e470d0a1a0a00', 'hex'), { kind: 'not_text' }],
    ['blank', Buffer.from(' \n\t'), { kind: 'empty' }],
    ['too long', Buffer.from('a'.repeat(5_001)), { kind: 'text_too_long', length: 5_001, lengthMax: 5_000 }],
    ['too long in emoji', Buffer.from('👋'.repeat(2_501)), { kind: 'text_too_long', length: 5_002 }],
  ])('is refused when it is %s', async (_name, bytes, problem) => {
    const bench = await useInputs({ bytes });

    await bench.command('a', { capability: 'avatar', inputs: [text(fromChat('bytes'))] });

    expect(bench.publisher.cards).toMatchObject([
      { failure: { reason: 'input', option: 'script', problem } },
    ]);
    expect(bench.asked.submit).toBe(0);
  });

  test('may have 5,000 characters', async () => {
    const bench = await useInputs({ words: Buffer.from('a'.repeat(5_000)) });
    await bench.command('a', { capability: 'avatar', inputs: [text(fromChat('words'))] });
    expect(bench.submitted()).toEqual([{ script: 'a'.repeat(5_000) }]);
  });
});

describe('another source', () => {
  test('is the input of an earlier job of the same member, weeks later', async () => {
    const bench = await useInputs({ photo: await aPhoto(3) });
    const first = await bench.command('a', { inputs: [image('image', fromChat('photo'))] });
    await bench.later(20 * 86_400_000);
    const source = { from: 'input', jobId: first, field: 'image_key' } as const;

    const second = await bench.command('b', { inputs: [image('image', source)] });

    expect(await bench.kept(second, 'image_key')).toEqual(await bench.kept(first, 'image_key'));
    expect(bench.publisher.cards).toMatchObject([{ kind: 'result' }, { kind: 'result' }]);
    expect((await bench.inputs(first))[0]?.url).toBe('');
  });

  test('is not the input of another member', async () => {
    const bench = await useInputs({ photo: await aPhoto(1) });
    const first = await bench.command('a', { inputs: [image('image', fromChat('photo'))] });
    const source = { from: 'input', jobId: first, field: 'image_key' } as const;

    await bench.command('b', { userId: 'somebody else', inputs: [image('image', source)] });

    expect(bench.publisher.cards[1]).toMatchObject({ failure: { problem: { kind: 'missing' } } });
  });

  test('is the result of a job of the same server only', async () => {
    const bench = await useInputs({ photo: await aPhoto(1) });
    const first = await bench.command('a', { inputs: [image('image', fromChat('photo'))] });
    const inputs = [image('face', { from: 'result', jobId: first })];

    const second = await bench.command('b', { userId: 'somebody else', inputs });
    await bench.command('c', { guildId: 'another server', inputs });

    const { result_path: path } = await bench.row(first);
    expect(await pixelsOf(await bench.kept(second, 'face_key'))).toEqual(
      await pixelsOf(await readFile(path ?? '')),
    );
    expect(bench.publisher.cards[2]).toMatchObject({ failure: { problem: { kind: 'missing' } } });
  });

  test('is a saved face, which remains unchanged', async () => {
    const path = `${await useFolder()}/face.jpg`;
    await writeFile(path, await aPhoto(1));
    const savedFaces: SavedFaces = {
      pathOf: (faceId, userId) => Promise.resolve(faceId === 'mine' && userId === '5' ? path : null),
    };
    const bench = await useInputs({}, { sources: { savedFaces } });

    await bench.command('a', { inputs: [image('face', { from: 'saved_face', faceId: 'mine' })] });
    await bench.command('b', { inputs: [image('face', { from: 'saved_face', faceId: 'gone' })] });

    expect(bench.publisher.cards).toMatchObject([
      { kind: 'result' },
      { failure: { problem: { kind: 'missing' } } },
    ]);
    expect(containsWords(await readFile(path))).toBe(true);
  });

  test('is the newest file of the channel, and its author is recorded', async () => {
    const asked: unknown[] = [];
    const newest: NewestFile = {
      find({ channelId, kind }) {
        asked.push([channelId, kind]);
        return Promise.resolve(
          channelId === '4'
            ? { url: linkOf('photo'), sizeBytes: 1, messageId: '8', authorId: '9', isOwn: false }
            : null,
        );
      },
    };
    const bench = await useInputs({ photo: await aPhoto(1) }, { sources: { newest } });

    const jobId = await bench.command('a', { inputs: [image('image', { from: 'newest' })] });
    await bench.command('b', { channelId: 'empty', inputs: [image('image', { from: 'newest' })] });

    const owners = await listInputOwners(bench.db.kysely, { jobId }, 10);
    expect(owners).toEqual([{ owner_id: '9', kind: 'message' }]);
    expect(asked).toEqual([
      ['4', 'image'],
      ['empty', 'image'],
    ]);
    expect(bench.publisher.cards).toMatchObject([
      { kind: 'result' },
      { failure: { problem: { kind: 'missing' } } },
    ]);
  });
});

describe('files on disk', () => {
  test('remain when their job is settled, without the link they came from', async () => {
    const bench = await useInputs({ photo: await aPhoto(1) });
    const jobId = await bench.command('a', { inputs: [image('image', fromChat('photo'))] });
    expect((await bench.inputs(jobId))[0]).toMatchObject({ path: expect.any(String), url: '' });
  });

  test('that a crash left during their arrival are removed at the next start, and newer ones are not', async () => {
    const bench = await useInputs({}, { start: false });
    const old = `${bench.dataDir}/arrivals/job_a.image_key.part_x`;
    const young = `${bench.dataDir}/arrivals/job_b.image_key`;
    for (const path of [old, young]) await writeFile(path, 'half a file');
    await utimes(old, 1, 1);

    await bench.jobs.start();

    await expect.poll(() => bench.arriving()).toEqual(['job_b.image_key']);
  });
});
