import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { admit } from '../../../src/bot/media/admit.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { taggedMedia } from './tagged-media.ts';
import { LIMITS } from './use-media.ts';

const MEBIBYTE = 1024 * 1024;
const SIZE_BYTES = 256 * MEBIBYTE;

/** For each format, writes the header of `length` bytes of empty space. */
const SPACE = {
  mp4: (head: Buffer, length: number) => head.write('free', head.writeUInt32BE(length), 'latin1'),
  mkv: (head: Buffer, length: number) => head.fill('ec01', 0, 2, 'hex').writeUIntBE(length - 9, 3, 6),
};

test.each(['mp4', 'mkv'] as const)('a %s file of 256 MB is cleaned with little memory', async (format) => {
  const path = join(await useFolder(), 'clip');
  const clip = Buffer.from(await taggedMedia(format));
  await writeFile(path, clip);
  await using file = await open(path, 'r+');
  await file.truncate(SIZE_BYTES);
  const head = Buffer.alloc(9);
  SPACE[format](head, SIZE_BYTES - clip.length);
  await file.write(head, 0, head.length, clip.length);
  let peakRss = 0;
  const before = process.memoryUsage.rss();
  const watch = setInterval(() => (peakRss = Math.max(peakRss, process.memoryUsage.rss())), 5);
  const limits = { ...LIMITS, sizeBytesMax: SIZE_BYTES };

  const admitted = await admit(path, 'video', limits, new AbortController().signal);

  clearInterval(watch);
  expect(admitted.sizeBytes).toBe(SIZE_BYTES);
  expect((peakRss - before) / MEBIBYTE).toBeLessThan(64);
});
