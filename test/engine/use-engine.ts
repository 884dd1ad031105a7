import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const SAMPLES = fileURLToPath(new URL('../samples/', import.meta.url));

/** The six portraits; one face each. */
export const PORTRAITS = [
  'portrait-woman-brown-hair.jpg',
  'portrait-man-dark-hair.jpg',
  'portrait-woman-three-quarter.jpg',
  'portrait-man-short-hair.png',
  'portrait-man-elderly.jpg',
  'portrait-woman-curly-hair.jpg',
] as const;

/** Path of a sample picture. */
export function sample(name: string): string {
  return join(SAMPLES, name);
}

/** A folder that goes away with the test. */
export async function useFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'engine-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A signal that never aborts. */
export function noAbort(): AbortSignal {
  return new AbortController().signal;
}
