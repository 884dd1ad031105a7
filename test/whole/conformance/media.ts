import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { wireUpload } from '../../../src/media-api/wire.ts';
import type { Target } from './target.ts';

/** The sample media for jobs, with their declared types. */
export const SAMPLES = {
  portrait: { name: 'portrait-woman-curly-hair.jpg', type: 'image/jpeg' },
  face: { name: 'portrait-man-elderly.jpg', type: 'image/jpeg' },
  clip: { name: 'talking-woman-512.mp4', type: 'video/mp4' },
  speech: { name: 'speech-woman-16k.wav', type: 'audio/wav' },
  broken: { name: 'bad-text-named.png', type: 'image/png' },
} as const;

export type SampleName = keyof typeof SAMPLES;

export async function readSample(name: SampleName): Promise<Buffer> {
  return await readFile(new URL(`../../samples/${SAMPLES[name].name}`, import.meta.url));
}

const uploads = new WeakMap<Target, Map<SampleName, Promise<string>>>();

/** Returns the key of a sample, uploaded once for each target. */
export function keyOf(target: Target, name: SampleName): Promise<string> {
  const known = uploads.get(target) ?? new Map<SampleName, Promise<string>>();
  uploads.set(target, known);
  const key = known.get(name) ?? upload(target, name);
  known.set(name, key);
  return key;
}

async function upload({ api }: Target, name: SampleName): Promise<string> {
  const answer = await api.upload(await readSample(name), SAMPLES[name]);
  assert.equal(answer.status, 200, answer.text);
  return wireUpload.parse(answer.json).file_key;
}
