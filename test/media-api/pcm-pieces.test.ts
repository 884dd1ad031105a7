import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PcmPieces, toPcm } from '../../src/media-api/pcm-pieces.ts';
import { readVoiceFormat } from '../../src/media-api/voice-format.ts';

test('a stream has the same samples however it is split into messages', () => {
  fc.assert(
    fc.property(
      fc.int16Array({ maxLength: 300 }),
      fc.array(fc.nat(600), { maxLength: 40 }),
      (all, places) => {
        const bytes = toPcm(all);
        const ends = [...new Set([...places.filter((place) => place < bytes.length), bytes.length])].sort(
          (a, b) => a - b,
        );
        const pieces = new PcmPieces();
        const out = ends.flatMap((end, index) => [...pieces.push(bytes.subarray(ends[index - 1] ?? 0, end))]);
        expect(out).toEqual([...all]);
      },
    ),
    { numRuns: 500 },
  );
});

test('samples are sent from a part of a larger buffer, low byte first', () => {
  expect([...toPcm(Int16Array.of(9, 1, -2, 9).subarray(1, 3))]).toEqual([1, 0, 254, 255]);
});

test.each([
  [8_000, 160],
  [16_000, 320],
  [24_000, 480],
  [40_000, 800],
  [44_100, 1_024],
  [48_000, 48_000],
])('accepts %s Hz in chunks of %s as a format', (sampleRateHz, chunkFrames) => {
  const text = JSON.stringify({ sample_rate: sampleRateHz, chunk_frames: chunkFrames, more: true });
  expect(readVoiceFormat(text)).toEqual({ sampleRateHz, chunkFrames });
});

test.each([
  'hello',
  '{}',
  '[1]',
  'null',
  '{"sample_rate":0,"chunk_frames":960}',
  '{"sample_rate":48000,"chunk_frames":0}',
  '{"sample_rate":48000.5,"chunk_frames":960}',
  '{"sample_rate":1e9,"chunk_frames":960}',
  '{"sample_rate":48000,"chunk_frames":1e9}',
  '{"sample_rate":"48000","chunk_frames":960}',
])('rejects the format %s', (text) => {
  expect(readVoiceFormat(text)).toBeUndefined();
});
