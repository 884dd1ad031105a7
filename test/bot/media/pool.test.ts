import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { MediaKind } from '../../../src/base/media-type.ts';
import { MediaError, type MediaProblem } from '../../../src/bot/media/media-error.ts';
import type { MediaPool } from '../../../src/bot/media/pool/media-pool.ts';
import { worstPicture } from '../../whole/hostile/worst-files.ts';
import { picture } from '../../media-server/test-engine.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { useMediaPool } from '../../helpers/use-media-pool.ts';
import { LIMITS } from './use-media.ts';

const NEVER = new AbortController().signal;
const MEBIBYTE = 1024 * 1024;
/** On two processors, the child processes take a few seconds, and longer under other load. */
const SLOW_MS = 240_000;

async function useFile(bytes: Uint8Array): Promise<string> {
  const path = join(await useFolder(), 'file');
  await writeFile(path, bytes);
  return path;
}

/** Returns the outcome for each of these files: `admitted`, or the kind of its problem. */
async function outcomes(
  pool: MediaPool,
  kind: MediaKind,
  files: readonly Uint8Array[],
): Promise<readonly (MediaProblem['kind'] | 'admitted')[]> {
  return Promise.all(
    files.map(async (bytes) => {
      const path = await useFile(bytes);
      try {
        await pool.admit(path, kind, LIMITS, NEVER);
        return 'admitted';
      } catch (error) {
        if (error instanceof MediaError) return error.problem.kind;
        throw error;
      } finally {
        expect(await readdir(dirname(path))).toEqual(['file']);
      }
    }),
  );
}

/** All times are processor time, so that other load on the machine does not matter. */
interface Strain {
  /** The longest computing time of this thread between two turns of its event loop. */
  readonly loopGapMs: number;
  /** The longest computing time, summed over all threads of this process, during one `stat` call. */
  readonly statMs: number;
  readonly grownBytes: number;
}

/**
 * Measures this process while `work` runs: the delay of its event loop, the delay of its file operations, and its
 * memory.
 */
async function strainOf(work: () => Promise<unknown>): Promise<Strain> {
  const before = process.memoryUsage.rss();
  let [loopGapMs, statMs, most] = [0, 0, before];
  let last = sumMs(process.threadCpuUsage());
  const watch = setInterval(() => {
    const now = sumMs(process.threadCpuUsage());
    loopGapMs = Math.max(loopGapMs, now - last);
    last = now;
    most = Math.max(most, process.memoryUsage.rss());
    const asked = process.cpuUsage();
    void stat('/').then(() => (statMs = Math.max(statMs, sumMs(process.cpuUsage(asked)))));
  }, 10);
  try {
    await work();
  } finally {
    clearInterval(watch);
  }
  return { loopGapMs, statMs, grownBytes: most - before };
}

function sumMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}

function expectLittle({ loopGapMs, statMs, grownBytes }: Strain): void {
  expect(loopGapMs).toBeLessThan(200);
  expect(statMs).toBeLessThan(200);
  expect(grownBytes / MEBIBYTE).toBeLessThan(64);
}

function element(id: string, content: Uint8Array): Buffer {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(content.length) | (1n << 56n));
  return Buffer.concat([Buffer.from(id, 'hex'), size, content]);
}

/** Creates a 9 MB Matroska file whose cluster is filled with empty unknown elements. */
function manyElements(): Buffer {
  const track = element(
    'ae',
    Buffer.concat([
      element('d7', Buffer.of(1)),
      element('83', Buffer.of(1)),
      element('86', Buffer.from('V_VP8')),
      element('e0', Buffer.concat([element('b0', Buffer.of(64)), element('ba', Buffer.of(64))])),
    ]),
  );
  const info = Buffer.concat([
    element('2ad7b1', Buffer.of(0x0f, 0x42, 0x40)),
    element('4489', Buffer.from('40c3880000000000', 'hex')),
  ]);
  const tiny = Buffer.alloc(9_000_000);
  for (let at = 0; at < tiny.length; at += 2) tiny.writeUInt16BE(0x81_80, at);
  const cluster = Buffer.concat([element('e7', Buffer.of(0)), tiny]);
  return Buffer.concat([
    element('1a45dfa3', element('4282', Buffer.from('matroska'))),
    element(
      '18538067',
      Buffer.concat([element('1549a966', info), element('1654ae6b', track), element('1f43b675', cluster)]),
    ),
  ]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Creates an interlaced PNG of one colour: a few hundred kilobytes that can only be decoded as a whole. */
function bomb(side: number, bits: 8 | 16): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([bits, 2, 0, 0, 1], 8);
  const passes = [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
  ] as const;
  const sizes = passes.map(([left, top, across, down]) => {
    const [width, height] = [Math.ceil((side - left) / across), Math.ceil((side - top) / down)];
    return (width * 3 * (bits / 8) + 1) * height;
  });
  const pixels = deflateSync(Buffer.alloc(sizes.reduce((sum, size) => sum + size, 0)));
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

test(
  'six clips of millions of tiny parts at once are refused, and this process stays responsive',
  async () => {
    const pool = useMediaPool({ limits: { memoryMib: 640, cpuSeconds: 3 } });
    const file = manyElements();
    const strain = await strainOf(async () => {
      const kinds = await outcomes(
        pool,
        'video',
        Array.from({ length: 6 }, () => file),
      );
      for (const kind of kinds) expect(['undecodable', 'too_complex']).toContain(kind);
    });
    expectLittle(strain);
    expect(await outcomes(pool, 'image', [await picture(50)])).toEqual(['admitted']);
  },
  SLOW_MS,
);

test(
  'eight pictures that take long to decode leave this process responsive',
  async () => {
    const pool = useMediaPool();
    const files = Array.from({ length: 8 }, () => bomb(7_070, 8));
    const strain = await strainOf(async () => {
      expect(await outcomes(pool, 'image', files)).toEqual(files.map(() => 'admitted'));
    });
    expectLittle(strain);
  },
  SLOW_MS,
);

test('a picture whose pixels take twice the memory may have half as many', async () => {
  expect(await outcomes(useMediaPool(), 'image', [bomb(7_070, 16), bomb(4_000, 16)])).toEqual([
    'too_many_pixels',
    'admitted',
  ]);
});

test('a file that exceeds the limit of processor time is permanently too complex', async () => {
  const short = useMediaPool({ limits: { memoryMib: 640, cpuSeconds: 1 } });
  expect(await outcomes(short, 'video', [manyElements()])).toEqual(['too_complex']);
});

test('a missing file, a full queue, an abort and the end of the pool are not reported as problems of the file', async () => {
  const pool = useMediaPool({ waitingMax: 1 });
  const gone = join(await useFolder(), 'gone');
  const lost = await pool.admit(gone, 'image', LIMITS, NEVER).catch((error: unknown) => error);
  expect(lost).toMatchObject({ systemCode: 'ENOENT' });

  const path = await useFile(bomb(7_070, 8));
  const stop = new AbortController();
  const started = Array.from({ length: 4 }, () => pool.admit(path, 'image', LIMITS, stop.signal));
  const settled = Promise.allSettled(started);
  await expect(pool.admit(path, 'image', LIMITS, NEVER)).rejects.toMatchObject({ code: 'pool_full' });
  stop.abort(new Error('No longer wanted'));
  for (const { reason } of (await settled) as PromiseRejectedResult[]) {
    expect(reason).toMatchObject({ message: 'No longer wanted' });
  }
  const last = Promise.allSettled([pool.admit(path, 'image', LIMITS, NEVER)]);
  await pool[Symbol.asyncDispose]();
  expect(await last).toMatchObject([{ reason: { code: 'pool_closed' } }]);
});

test('a pool recognises, marks and shrinks a result and cleans a face with the same outcome as this process', async () => {
  const pool = useMediaPool();
  const path = await useFile(await picture(300));
  expect(await pool.sniff(path, NEVER)).toMatchObject({ kind: 'image' });
  const mime = (await pool.sniff(path, NEVER))?.mime ?? '';
  expect(await pool.mark(path, { mime, type: 'trainedAlgorithmicMedia' }, NEVER)).toBe('marked');
  expect(await readFile(path, 'latin1')).toContain('trainedAlgorithmicMedia');
  const text = await useFile(Buffer.from('only words'));
  expect(await pool.sniff(text, NEVER)).toBeUndefined();
  const face = `${path}.jpg`;
  expect(await pool.cleanFace(path, face, NEVER)).toBe((await stat(face)).size);
  expect(((await stat(face)).mode & 0o777).toString(8)).toBe('600');
  expect(await pool.previewFace(face, NEVER)).toMatchObject({ 0: 0xff, 1: 0xd8 });
  expect(await readdir(dirname(path))).toEqual(['file.jpg']);

  // A file that cannot be marked stays as it is, but a file that cannot be saved as a face is deleted.
  const mark = { mime: 'image/png', type: 'trainedAlgorithmicMedia' } as const;
  expect(await pool.mark(text, mark, NEVER)).toBe('damaged');
  expect(await pool.mark(text, { ...mark, mime: 'text/plain' }, NEVER)).toBe('unknown_format');
  expect(await readFile(text, 'utf8')).toBe('only words');
  await expect(pool.cleanFace(text, `${text}.jpg`, NEVER)).rejects.toMatchObject({
    problem: { kind: 'wrong_type', expected: 'image' },
  });
  expect(await readdir(dirname(text))).toEqual([]);
});

test(
  'the small files of two members are opened while another member floods',
  { timeout: SLOW_MS },
  async () => {
    const pool = useMediaPool();
    const { bytes: slow } = await worstPicture();
    const small = await picture(40);
    const open = async (bytes: Uint8Array, owner: string): Promise<string> =>
      (await pool.admit(await useFile(bytes), 'image', LIMITS, NEVER, owner)).mime;
    let floodLeft = 12;
    const flood = Promise.all(
      Array.from({ length: floodLeft }, () => open(slow, 'flood').finally(() => (floodLeft -= 1))),
    );
    const members = ['one', 'two'].flatMap((owner) => [1, 2, 3].map(() => open(small, owner)));

    expect(new Set(await Promise.all(members))).toEqual(new Set(['image/png']));

    expect(floodLeft).toBeGreaterThan(5);
    await flood;
  },
);
