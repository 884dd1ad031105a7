import assert from 'node:assert/strict';
import { expect, vi } from 'vitest';
import { FakeClock } from '../../helpers/fake-clock.ts';
import type {
  WireBalance,
  WireLiveSession,
  WireUsageRecord,
  WireVoiceSession,
} from '../../../src/media-api/wire.ts';
import type { MediaServerOptions } from '../../../src/media-server/options.ts';
import type { ApiClient } from '../api-client.ts';
import { TestEngine } from '../test-engine.ts';
import { type UsedServer, useServer } from '../use-server.ts';
import { GreyFaces, ScalingVoices } from './stream-engines.ts';
import { type StreamClient, connectStream } from './stream-client.ts';

export interface UsedSessions extends UsedServer {
  readonly clock: FakeClock;
  readonly voices: ScalingVoices;
  readonly faces: GreyFaces;
  readonly photos: TestEngine;
}

/** Starts a server in simulated time with the engines of `stream-engines.ts`. */
export async function useSessions(options: Partial<MediaServerOptions> = {}): Promise<UsedSessions> {
  const clock = new FakeClock();
  const voices = new ScalingVoices();
  const faces = new GreyFaces();
  const photos = new TestEngine();
  const engines = { photoSwap: photos, voiceSwap: voices, liveSwap: faces };
  const used = await useServer({ clock, engines, ...options });
  return { ...used, clock, voices, faces, photos };
}

/** Opens a voice session, which must succeed. */
export async function openVoice(api: ApiClient, body: object = {}): Promise<WireVoiceSession> {
  const answer = await api.post('/voice/session', body);
  assert.equal(answer.status, 200, answer.text);
  return answer.json as WireVoiceSession;
}

/** Opens a Live Swap Pro session, which must succeed. */
export async function openLive(api: ApiClient, body: object = {}): Promise<WireLiveSession> {
  const answer = await api.post('/full-live-swap/session', { duration_minutes: 1, ...body });
  assert.equal(answer.status, 200, answer.text);
  return answer.json as WireLiveSession;
}

/** Opens and connects a voice session, and exchanges one message, so that the session's meter is running. */
export async function streamingVoice(
  api: ApiClient,
  body: object = {},
): Promise<{ session: WireVoiceSession; stream: StreamClient }> {
  const session = await openVoice(api, body);
  const stream = await connectStream(session);
  stream.send(Buffer.alloc(960));
  await stream.binary(1);
  return { session, stream };
}

/** Waits until the session has ended, and returns its usage record. */
export async function settled(
  api: ApiClient,
  { session_id: id }: WireVoiceSession,
): Promise<WireUsageRecord> {
  return await vi.waitFor(async () => {
    const record = await usageOf(api, id);
    expect(record?.status).toMatch(/^(succeeded|failed)$/);
    assert(record);
    return record;
  });
}

export async function usageOf(api: ApiClient, id: string): Promise<WireUsageRecord | undefined> {
  const records = (await api.get('/usage?limit=500')).json as WireUsageRecord[];
  return records.find((record) => record.id === id);
}

export async function balanceOf(api: ApiClient): Promise<number> {
  return ((await api.get('/balance')).json as WireBalance).balance_usd;
}

/** Advances the clock in steps, so that the answers to pings arrive in between. */
export async function advanceAlive(clock: FakeClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 5_000) {
    await clock.advance(Math.min(left, 5_000));
    await new Promise((resolve) => setImmediate(resolve));
  }
}
