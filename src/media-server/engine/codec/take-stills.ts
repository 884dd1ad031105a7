import type { Pixels } from '../pixels.ts';
import type { Codec } from './codec.ts';

/**
 * Returns copies of `count` pictures that are evenly spread over a clip, or fewer if the clip has fewer
 * frames.
 */
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
