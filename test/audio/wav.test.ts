import { expect, test } from 'vitest';
import { readWav, writeWav } from '../../src/audio/wav.ts';

const SOUND = { sampleRateHz: 22_050, pcm: Int16Array.from([0, 1, -1, 32_767, -32_768]) };

test('reads the same sound that was written', () => {
  expect(readWav(writeWav(SOUND))).toEqual(SOUND);
});

test('averages two channels into one', () => {
  const pcm = Int16Array.from([100, 300, -32_768, 32_767, 7]);
  const stereo = Buffer.from(writeWav({ sampleRateHz: 22_050, pcm })).fill(2, 22, 23);
  expect([...readWav(stereo).pcm]).toEqual([200, 0]);
});

test('skips the chunks of a file that contain no sound', () => {
  const plain = writeWav(SOUND);
  const other = Buffer.from('LIST\x03\0\0\0abc\0', 'latin1');
  expect(readWav(Buffer.concat([plain.subarray(0, 36), other, plain.subarray(36)]))).toEqual(SOUND);
});

test('returns the samples that are left in a truncated file', () => {
  expect([...readWav(writeWav(SOUND).subarray(0, 48)).pcm]).toEqual([0, 1]);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['another file', Buffer.from('RIFF....AVI and so on')],
  ['only a header', Buffer.from(writeWav(SOUND).subarray(0, 36))],
  ['24-bit sound', Buffer.from(writeWav(SOUND)).fill(24, 34, 35)],
])('rejects %s', (_what, bytes) => {
  expect(() => readWav(bytes)).toThrow(RangeError);
});
