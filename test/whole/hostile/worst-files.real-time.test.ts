import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { admit } from '../../../src/bot/media/admit.ts';
import type { MediaKind } from '../../../src/base/media-type.ts';
import { LIMITS } from '../../bot/media/use-media.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { type WorstFile, worstClip, worstPicture } from './worst-files.ts';

async function come({ name, bytes }: WorstFile, kind: MediaKind): Promise<string> {
  const path = join(await useFolder(), name);
  await writeFile(path, bytes);
  return await admit(path, kind, LIMITS, new AbortController().signal).then(
    ({ extension }) => `admitted as ${extension}`,
    (error: Error) => error.message,
  );
}

test('accepts the worst clip when its cluster has few parts, so only their number is wrong', async () => {
  expect(await come(worstClip(100), 'video')).toBe('admitted as webm');
  expect(await come(worstClip(), 'video')).toContain('too many parts');
});

test('decodes the worst picture to its end', async () => {
  expect(await come(await worstPicture(), 'image')).toBe('admitted as png');
});
