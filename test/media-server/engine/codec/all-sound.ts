import type { Codec } from '../../../../src/media-server/engine/codec/codec.ts';

/** Returns all the sound of the clip at `path`, in mono. */
export async function allSound(codec: Codec, path: string, rate: number): Promise<Float32Array> {
  const pieces: number[] = [];
  for await (const piece of codec.readAudio(path, rate)) pieces.push(...piece);
  return Float32Array.from(pieces);
}
