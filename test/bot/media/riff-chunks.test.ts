import fc from 'fast-check';
import { ALL_FORMATS, AudioSampleSink, BufferSource, Input } from 'mediabunny';
import { expect, test } from 'vitest';
import { SECRET, clean, containsWords } from './use-media.ts';

const RATE_HZ = 8_000;
const SAMPLES = 801;

/** 8-bit mono sound in which no two neighbouring samples are equal. */
const FORMAT = Buffer.from('01000100401f0000401f000001000800', 'hex');
const SOUND = Buffer.from(Array.from({ length: SAMPLES }, (_none, at) => (at * 37) % 251));

function chunk(type: string, body: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}

function riff(chunks: readonly Buffer[]): Buffer {
  return chunk('RIFF', Buffer.concat([Buffer.from('WAVE'), ...chunks]));
}

async function samplesOf(bytes: Uint8Array): Promise<Buffer> {
  using input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
  const track = await input.getPrimaryAudioTrack();
  const parts: Buffer[] = [];
  if (!track) throw new Error('The file has no sound');
  for await (const sample of new AudioSampleSink(track).samples()) {
    using heard = sample;
    const part = Buffer.alloc(heard.allocationSize({ planeIndex: 0 }));
    heard.copyTo(part, { planeIndex: 0 });
    parts.push(part);
  }
  return Buffer.concat(parts);
}

test('chunks of any length anywhere in a WAV are removed, and the sound stays', async () => {
  const words = fc.integer({ min: 0, max: 40 }).map((length) => SECRET.repeat(2).slice(0, length));
  const own = fc.record({
    type: fc.constantFrom('LIST', 'bext', 'iXML', 'id3 ', 'cue ', 'note', 'fmt0', 'FMT ', 'Data'),
    words,
  });
  const some = fc.array(own, { maxLength: 3 });
  const heard = await samplesOf(riff([chunk('fmt ', FORMAT), chunk('data', SOUND)]));
  expect(heard.length).toBeGreaterThanOrEqual(SAMPLES);
  await fc.assert(
    fc.asyncProperty(some, some, some, async (front, between, behind) => {
      const chunksOf = (rows: typeof front): Buffer[] =>
        rows.map((row) => chunk(row.type, Buffer.from(row.words)));
      const empty = (rows: typeof front): Buffer[] =>
        rows.map((row) => chunk('JUNK', Buffer.alloc(row.words.length)));
      const built = (fill: typeof chunksOf): Buffer =>
        riff([
          ...fill(front),
          chunk('fmt ', FORMAT),
          ...fill(between),
          chunk('fact', Buffer.from([SAMPLES & 0xff, SAMPLES >> 8, 0, 0])),
          chunk('data', SOUND),
          ...fill(behind),
        ]);

      const { bytes, durationSeconds } = await clean(built(chunksOf), 'audio');

      expect(bytes.equals(built(empty))).toBe(true);
      expect(durationSeconds).toBe(SAMPLES / RATE_HZ);
      expect((await samplesOf(bytes)).equals(heard)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test.each([0, 1, 2, 3, 17, 18])(
  'a chunk of %i bytes before another one hides no part of it',
  async (length) => {
    for (const at of [0, 1, 2]) {
      const chunks = [chunk('fmt ', FORMAT), chunk('data', SOUND)];
      chunks.splice(at, 0, chunk('LIST', Buffer.alloc(length, 7)), chunk('bext', Buffer.from(SECRET)));
      const { bytes, durationSeconds } = await clean(riff(chunks), 'audio');
      expect([at, containsWords(bytes), durationSeconds]).toEqual([at, false, SAMPLES / RATE_HZ]);
    }
  },
);

test('a WAV without the padding byte of its last chunk is complete', async () => {
  for (const chunks of [
    [chunk('fmt ', FORMAT), chunk('data', SOUND)],
    [chunk('fmt ', FORMAT), chunk('data', SOUND), chunk('note', Buffer.from('odd'))],
  ]) {
    const { durationSeconds } = await clean(riff(chunks).subarray(0, -1), 'audio');
    expect(durationSeconds).toBe(SAMPLES / RATE_HZ);
  }
});

test('a WAV whose last chunk is truncated is refused, and one whose sound is truncated is as long as the rest', async () => {
  const whole = riff([chunk('fmt ', FORMAT), chunk('data', SOUND), chunk('note', Buffer.alloc(20))]);
  await expect(clean(whole.subarray(0, -1), 'audio')).rejects.toMatchObject({
    problem: { kind: 'undecodable' },
  });
  const { durationSeconds } = await clean(whole.subarray(0, 12 + 24 + 8 + 400), 'audio');
  expect(durationSeconds).toBe(400 / RATE_HZ);
});

test('a WAV with two parts of sound is as long as both', async () => {
  const { durationSeconds } = await clean(
    riff([chunk('fmt ', FORMAT), chunk('data', SOUND), chunk('data', SOUND)]),
    'audio',
  );
  expect(durationSeconds).toBe((2 * SAMPLES) / RATE_HZ);
});
