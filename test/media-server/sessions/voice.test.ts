import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wireVoiceFormat, wireVoiceSession } from '../../../src/media-api/wire.ts';
import { connectStream } from './stream-client.ts';
import { openVoice, settled, streamingVoice, useSessions } from './use-sessions.ts';

test('an open answers five fields, including the maximum cost of the session', async () => {
  const { api, server } = await useSessions();
  const answer = await api.post('/voice/session', {});
  expect(wireVoiceSession.parse(answer.json)).toEqual(answer.json);
  expect(answer.json).toEqual({
    session_id: expect.stringMatching(/^ses_[a-z2-7]{32}$/),
    stream_url: expect.stringMatching(`^ws://127.0.0.1:${server.port}/api/v1/stream/ses_`),
    session_token: expect.stringMatching(/^st_[a-z2-7]{32}$/),
    max_duration_sec: 600,
    max_cost_usd: 0.6,
  });
});

test('the format is sent unprompted, and can differ between sessions', async () => {
  const formats = [
    { sampleRateHz: 16_000, chunkFrames: 320 },
    { sampleRateHz: 48_000, chunkFrames: 960 },
  ];
  const given = [...formats];
  const { api } = await useSessions({
    voiceFormat: () => given.shift() ?? { sampleRateHz: 1, chunkFrames: 1 },
  });
  for (const format of formats) {
    const stream = await connectStream(await openVoice(api));
    await expect.poll(() => stream.frames).toHaveLength(1);
    const told: unknown = JSON.parse(String(stream.frames[0]));
    expect(wireVoiceFormat.parse(told)).toEqual(told);
    expect(told).toEqual({ sample_rate: format.sampleRateHz, chunk_frames: format.chunkFrames });
  }
});

test('the chosen voice is opened in the announced format, and converts', async () => {
  const { api, voices } = await useSessions();
  const { stream } = await streamingVoice(api, { voice_profile_id: 'mirror' });
  expect(voices.opened).toEqual([{ voiceId: 'mirror', sampleRateHz: 48_000, chunkFrames: 960 }]);
  stream.send(samples(1, -2, 300));
  expect((await stream.bytes(966)).subarray(960)).toEqual(samples(-1, 2, -300));
});

/** Cuts `bytes` at the given offsets. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set([...places, bytes.length])].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

test.each([undefined, 'mirror'])(
  'messages of any size, including odd ones, form one stream (voice %s)',
  async (voice) => {
    const { api } = await useSessions({ openingBalance: undefined });
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 2, maxLength: 400 }),
        fc.array(fc.nat(400), { maxLength: 30 }),
        async (raw, places) => {
          const bytes = Buffer.from(raw.subarray(0, raw.length - (raw.length % 2)));
          const stream = await connectStream(await openVoice(api, { voice_profile_id: voice }));
          for (const part of cut(
            bytes,
            places.filter((place) => place < bytes.length),
          ))
            stream.send(part);
          expect(await stream.bytes(bytes.length)).toEqual(voice === undefined ? bytes : mirrored(bytes));
          stream.socket.close();
          await stream.closed;
        },
      ),
      { numRuns: 25 },
    );
  },
);

test('without a profile no place in the engine is taken, and every bit is returned', async () => {
  const { api, voices } = await useSessions();
  const { stream } = await streamingVoice(api);
  const noise = Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 97 + 13) % 256));
  stream.send(noise);
  expect((await stream.bytes(5_960)).subarray(960)).toEqual(noise);
  expect(voices.opened).toEqual([]);
});

test('speech that waits for the engine longer than two seconds is dropped, the oldest first', async () => {
  const { api, voices } = await useSessions({
    voiceFormat: () => ({ sampleRateHz: 1_000, chunkFrames: 20 }),
  });
  const stream = await connectStream(await openVoice(api, { voice_profile_id: 'mirror' }));
  voices.pause();
  for (let index = 0; index < 300; index++) stream.send(samples(...Array.from({ length: 20 }, () => index)));
  stream.socket.ping();
  await new Promise((resolve) => stream.socket.once('pong', resolve));
  voices.release();
  const heard = [...toNumbers(await stream.bytes(2 * 2_020))];
  expect(heard.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 0));
  expect(heard.slice(20)).toEqual(
    Array.from({ length: 100 }, (_, index) => Array.from({ length: 20 }, () => -(index + 200))).flat(),
  );
});

test('an engine that fails ends the session, which is charged for the converted speech', async () => {
  const { api, clock, voices } = await useSessions();
  const { session, stream } = await streamingVoice(api, { voice_profile_id: 'whisper' });
  await clock.advance(6_000);
  voices.fault = new Error('died');
  stream.send(samples(1));
  expect(await stream.closed).toEqual([1011, 'The conversion broke off']);
  expect(await settled(api, session)).toMatchObject({
    status: 'failed',
    reason: 'render_failed',
    charged_usd: 0.006,
  });
  expect(voices.taken).toBe(0);
});

function samples(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, index) => bytes.writeInt16LE(value, index * 2));
  return bytes;
}

function toNumbers(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / 2 }, (_, index) => bytes.readInt16LE(index * 2) + 0);
}

function mirrored(bytes: Buffer): Buffer {
  return samples(...toNumbers(bytes).map((value) => Math.min(32_767, -value)));
}
