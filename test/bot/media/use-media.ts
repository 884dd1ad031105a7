import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MediaKind } from '../../../src/base/media-type.ts';
import { type Admitted, type MediaLimits, admit } from '../../../src/bot/media/admit.ts';
import { useFolder } from '../../helpers/use-folder.ts';

/** Words that no admitted file may contain. */
export const SECRET = 'N48.8584 E2.2945 at home';

export const LIMITS: MediaLimits = { sizeBytesMax: 50_000_000, megapixelsMax: 50, durationSecondsMax: 600 };

export interface Cleaned extends Admitted {
  /** The paths of the original file and of the admitted file. */
  readonly before: string;
  readonly after: string;
  readonly bytes: Buffer;
}

/** Admits a file with this content. */
export async function clean(
  bytes: Uint8Array,
  kind: MediaKind,
  limits: Partial<MediaLimits> = {},
): Promise<Cleaned> {
  const folder = await useFolder();
  const before = join(folder, 'before');
  const after = join(folder, 'after');
  await writeFile(before, bytes);
  await writeFile(after, bytes);
  const admitted = await admit(after, kind, { ...LIMITS, ...limits }, new AbortController().signal);
  return { ...admitted, before, after, bytes: await readFile(after) };
}

/** Returns whether the bytes contain the words, in any encoding that metadata uses. */
export function containsWords(bytes: Uint8Array, words: string = SECRET): boolean {
  const all = Buffer.from(bytes);
  const wide = Buffer.from(words, 'utf16le');
  return all.includes(words, 0, 'latin1') || all.includes(wide) || all.includes(Buffer.from(wide).swap16());
}
