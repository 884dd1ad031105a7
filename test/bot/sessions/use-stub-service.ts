import type { WireUsageRecord, WireVoiceSession } from '../../../src/media-api/wire.ts';
import { BOUNDS, usageLog } from '../../media-api/usage-log.ts';
import { type Reply, type StubApi, json, useStubApi } from '../../media-api/use-stub-api.ts';
import { type StubStream, type StubStreams, useStubStream } from '../../media-api/use-stub-stream.ts';

export interface StubService extends StubApi {
  readonly streams: StubStreams['streams'];
  /** The records in the service's usage log. */
  readonly records: WireUsageRecord[];
  /** Sets the reply to requests that open a session. */
  onOpen(reply: Reply): void;
}

export const FORMAT: string = JSON.stringify({ sample_rate: 16_000, chunk_frames: 320 });

/** Starts a service whose sessions do what the test requests. By default, they send their format and nothing else. */
export async function useStubService(
  session: Partial<WireVoiceSession> = {},
  onStream: (stream: StubStream) => void = ({ socket }) => socket.send(FORMAT),
): Promise<StubService> {
  const { url, streams } = await useStubStream(onStream);
  const records: WireUsageRecord[] = [];
  let opens = 0;
  let opened: Reply = (...call) =>
    json(200, {
      session_id: `ses_${++opens}`,
      stream_url: `${url}/stream?region=eu`,
      session_token: 'the-token-that-is-secret',
      max_duration_sec: 60,
      max_cost_usd: 0.06,
      ...session,
    })(...call);
  const log = usageLog(records, { read: BOUNDS.iso });
  const api = await useStubApi((request, ...rest) =>
    (request.url?.endsWith('/session') ? opened : log)(request, ...rest),
  );
  return { ...api, streams, records, onOpen: (reply) => void (opened = reply) };
}

export function aRecord(changes: Partial<WireUsageRecord> = {}): WireUsageRecord {
  return {
    id: 'ses_1',
    endpoint: 'voice',
    feature: 'voice_swap',
    status: 'succeeded',
    charged_usd: 0.01,
    reason: null,
    created_at: new Date().toISOString(),
    ...changes,
  };
}
