import { expect } from 'vitest';
import type { MediaKind } from '../../../../src/base/media-type.ts';
import { MediaError, type MediaProblem } from '../../../../src/bot/media/media-error.ts';
import { clean } from '../use-media.ts';
import type { DecodedLengths } from './decoded-lengths.ts';
import type { Decode } from './use-decoders.ts';

/** The allowances for one picture's duration (`FRAME_SECONDS`) and for rounded timescales (`TOLERANCE`). */
const FRAME_SECONDS = 0.05;
const TOLERANCE = 1.02;

export type Measurement =
  | { readonly measured: number; readonly decoded: DecodedLengths }
  | { readonly refused: MediaProblem };

/** Admits a file, and decodes the file that would be uploaded. */
export async function measuredLength(
  decode: Decode,
  bytes: Uint8Array,
  kind: MediaKind,
): Promise<Measurement> {
  try {
    const { durationSeconds, after } = await clean(bytes, kind, { durationSecondsMax: 36_000 });
    return { measured: durationSeconds ?? 0, decoded: await decode(after) };
  } catch (error) {
    if (error instanceof MediaError) return { refused: error.problem };
    throw error;
  }
}

/** Fails if any program plays the file for longer than the bot measured. A file that the bot refuses is harmless. */
export async function expectNotShort(
  decode: Decode,
  bytes: Uint8Array,
  kind: MediaKind,
): Promise<Measurement> {
  const result = await measuredLength(decode, bytes, kind);
  if ('refused' in result) return result;
  const { measured, decoded } = result;
  for (const [program, seconds] of Object.entries(decoded)) {
    expect(seconds, `${program} plays the file longer than the measured ${measured} s`).toBeLessThanOrEqual(
      measured * TOLERANCE + FRAME_SECONDS,
    );
  }
  return result;
}
