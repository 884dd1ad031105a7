import { expect, test } from 'vitest';
import { readWav, writeWav } from '../../src/audio/wav.ts';

const SOUND = { sampleRateHz: 22_050, pcm: Int16Array.from([0, 1, -1, 32_767, -32_768]) };

test('a sound that is written is read again as it was', () => {
  expect(readWav(writeWav(SOUND))).toEqual(SOUND);
});

test('two channels become one by their mean', () => {
  const pcm = Int16Array.from([100, 300, -32_768, 32_767, 7]);
  const stereo = Buffer.from(writeWav({ sampleRateHz: 22_050, pcm })).fill(2, 22, 23);
  expect([...readWav(stereo).pcm]).toEqual([200, 0]);
});

test('pieces of a file that are not sound are passed over', () => {
  const plain = writeWav(SOUND);
  const other = Buffer.from('LIST\x03\0\0\0abc\0', 'latin1');
  expect(readWav(Buffer.concat([plain.subarray(0, 36), other, plain.subarray(36)]))).toEqual(SOUND);
});

test('a file that was cut short gives the samples that are there', () => {
  expect([...readWav(writeWav(SOUND).subarray(0, 48)).pcm]).toEqual([0, 1]);
});

test.each([
  ['nothing', Buffer.alloc(0)],
  ['another file', Buffer.from('RIFF....AVI and so on')],
  ['only a header', Buffer.from(writeWav(SOUND).subarray(0, 36))],
  ['24-bit sound', Buffer.from(writeWav(SOUND)).fill(24, 34, 35)],
])('%s is refused', (_what, bytes) => {
  expect(() => readWav(bytes)).toThrow(RangeError);
});
