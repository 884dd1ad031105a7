import type { Codec } from '../../../../src/media-server/engine/codec/codec.ts';
import { quarters } from './make-clip.ts';

/** Size and frame rate of the clips that tests write. */
export const SMALL = { width: 64, height: 48, frameRate: 25 } as const;

/** Writes a silent clip of 64 x 48 pixels with a frame at each of the times. Returns the clip's length. */
export async function writeQuarters(
  codec: Codec,
  path: string,
  timestamps: readonly number[],
): Promise<number> {
  await using writer = await codec.writeVideo({ path, ...SMALL, sound: { from: 'nowhere' } });
  for (const [n, at] of timestamps.entries()) {
    await writer.add(quarters(64, 48, n % 40), at, (timestamps[n + 1] ?? at + 0.04) - at);
  }
  return await writer.finish();
}
