import assert from 'node:assert/strict';
import { describe, expect, test, vi } from 'vitest';
import {
  type WireUsageRecord,
  type WireVoiceSession,
  wireLiveSession,
  wireVoiceFormat,
  wireVoiceSession,
  wireVoices,
} from '../../../../src/media-api/wire.ts';
import { type Answer, assertRefused } from '../caller.ts';
import { isUnavailable } from '../jobs.ts';
import { connectStream } from '../stream.ts';
import type { Target } from '../target.ts';
import { readBalance, readUsage } from './reads.ts';

const VOICE = '/voice/session';
const LIVE = '/full-live-swap/session';
const SETTLE_MS = 60_000;

/** Tests both session capabilities: open, stream, close, settle. The cost is a few seconds of a voice session. */
export function sessionsSuite(target: () => Target): void {
  describe('voice_swap', () => {
    test.each([{ duration_minutes: 0 }, { duration_minutes: 121 }, { voice_profile_id: 'nobody' }])(
      'refuses %j',
      async (body) => {
        const answer = await target().api.post(VOICE, body);
        expect([400, 502]).toContain(answer.status);
        if (!isUnavailable(answer)) assertRefused(answer, 400, 'invalid_input');
      },
    );

    test('without a profile sound is returned unchanged, and the close settles the session', async ({
      skip,
    }) => {
      const session = await open(target(), VOICE, { duration_minutes: 1 });
      if (!session) return skip('there is no capacity for it');
      expect(session).toMatchObject({ max_duration_sec: 60 });
      const stream = await connectStream(session, session.session_token);
      assert(stream, 'the token was refused');
      const { chunk_frames: chunkFrames } = wireVoiceFormat.parse(JSON.parse(await stream.greeting()));
      const sound = tone(chunkFrames * 3);
      for (let at = 0; at < sound.length; at += chunkFrames * 2) {
        stream.socket.send(sound.subarray(at, at + chunkFrames * 2));
      }
      expect((await stream.bytes(sound.length)).equals(sound)).toBe(true);
      await stream.close();
      const record = await settled(target(), session);
      expect(record).toMatchObject({ feature: 'voice_swap', endpoint: 'voice', status: 'succeeded' });
      expect(record.charged_usd).toBeLessThanOrEqual(session.max_cost_usd);
      expect(await connectStream(session, session.session_token)).toBeUndefined();
    });

    test('with a voice the same amount of sound is returned, and it differs', async ({ skip }) => {
      const voices = await target().api.get('/voices');
      const [voice] = wireVoices.parse(voices.json);
      if (!voice) return skip('the service offers no voice');
      const session = await open(target(), VOICE, { duration_minutes: 1, voice_profile_id: voice.id });
      if (!session) return skip('there is no capacity for it');
      const stream = await connectStream(session, session.session_token);
      assert(stream, 'the token was refused');
      const { sample_rate: rate, chunk_frames: chunkFrames } = wireVoiceFormat.parse(
        JSON.parse(await stream.greeting()),
      );
      const chunks = Math.ceil(rate / 2 / chunkFrames);
      const sound = tone(chunkFrames * chunks);
      for (let at = 0; at < sound.length; at += chunkFrames * 2) {
        stream.socket.send(sound.subarray(at, at + chunkFrames * 2));
      }
      const converted = await stream.bytes(chunkFrames * 2);
      expect(converted.equals(sound.subarray(0, converted.length))).toBe(false);
      await stream.close();
      await settled(target(), session);
    });

    test('a wrong token is refused, and a session that never streams costs nothing', async ({ skip }) => {
      const before = await readBalance(target());
      const session = await open(target(), VOICE, { duration_minutes: 1 });
      if (!session) return skip('there is no capacity for it');
      expect(await connectStream(session, `${session.session_token}x`)).toBeUndefined();
      const stream = await connectStream(session, session.session_token);
      assert(stream, 'the token was refused');
      await stream.greeting();
      await stream.close();
      expect(await settled(target(), session)).toMatchObject({ charged_usd: 0, reason: 'no_stream' });
      expect((await readBalance(target())).total_spent_usd).toBe(before.total_spent_usd);
    });
  });

  describe('live_swap_pro', () => {
    test.each([{}, { duration_minutes: 0 }, { duration_minutes: 241 }, { duration_minutes: 1.5 }])(
      'refuses %j',
      async (body) => {
        const answer = await target().api.post(LIVE, body);
        if (!isUnavailable(answer)) assertRefused(answer, 400, 'invalid_input');
      },
    );

    test('opens with its resolved prompt and costs nothing unless it streams', async ({ skip }) => {
      const answer = await target().api.post(LIVE, { duration_minutes: 1 });
      if (hasNoCapacity(answer)) return skip('there is no capacity for it');
      const session = wireLiveSession.parse(answer.json);
      expect(session.prompt).not.toBe('');
      expect(session.max_duration_sec).toBeLessThanOrEqual(60);
      const stream = await connectStream(session, session.session_token);
      assert(stream, 'the token was refused');
      await stream.close();
      expect(await settled(target(), session)).toMatchObject({
        feature: 'live_swap_pro',
        endpoint: 'full-live-swap',
        charged_usd: 0,
        reason: 'no_stream',
      });
    });
  });
}

async function open({ api }: Target, path: string, body: object): Promise<WireVoiceSession | undefined> {
  const answer = await api.post(path, body);
  if (hasNoCapacity(answer)) return undefined;
  assert.equal(answer.status, 200, answer.text);
  const session = wireVoiceSession.parse(answer.json);
  assert.match(session.stream_url, /^wss?:\/\//);
  return session;
}

function hasNoCapacity(answer: Answer): boolean {
  return (
    isUnavailable(answer) || answer.errorCode === 'capacity_warming' || answer.errorCode === 'at_capacity'
  );
}

async function settled(target: Target, { session_id: id }: WireVoiceSession): Promise<WireUsageRecord> {
  return await vi.waitFor(
    async () => {
      const record = (await readUsage(target, '?limit=500')).find((each) => each.id === id);
      assert(record && !['queued', 'processing', 'in_flight'].includes(record.status), 'not settled');
      return record;
    },
    { timeout: SETTLE_MS, interval: 200 },
  );
}

/** Creates a tone as s16le bytes. */
function tone(frames: number): Buffer {
  const samples = Int16Array.from({ length: frames }, (_none, index) =>
    Math.round(8_000 * Math.sin(index / 9)),
  );
  return Buffer.from(samples.buffer);
}
