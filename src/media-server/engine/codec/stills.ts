import type { Pixels } from '../pixels.ts';
import type { Codec } from './codec.ts';

/** `count` pictures evenly spread over a clip, each its own copy. Fewer when the clip has fewer frames. */
export async function takeStills(codec: Codec, path: string, count: number): Promise<Pixels[]> {
  const { durationSeconds } = await codec.probe(path);
  const stills: Pixels[] = [];
  for await (const { pixels, timestamp } of codec.readVideo(path)) {
    if (timestamp < ((stills.length + 0.5) / count) * durationSeconds) continue;
    stills.push({ ...pixels, data: Uint8Array.from(pixels.data) });
    if (stills.length === count) break;
  }
  return stills;
}
