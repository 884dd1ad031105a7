import { expect, test, vi } from 'vitest';
import { ScalingVoices } from '../media-server/sessions/stream-engines.ts';
import { settled } from '../media-server/sessions/use-sessions.ts';
import { type UsedServer, useServer } from '../media-server/use-server.ts';
import { LineEar, aRequest, useLive } from './use-live.ts';

async function useVoices(): Promise<UsedServer & { readonly baseUrl: string }> {
  const used = await useServer({ engines: { voiceSwap: new ScalingVoices() } });
  return { ...used, baseUrl: used.server.baseUrl };
}

test('a line converts, is metered, and costs what the service says once it is closed', async () => {
  const service = await useVoices();
  const bench = await useLive(service, { api: { apiKey: service.server.apiKey } });
  const line = await bench.live.voice.open(aRequest());
  expect(line).toMatchObject({ sampleRateHz: 48_000, chunkFrames: 960 });
  expect(line.standing).toMatchObject({ meteredMs: 0, estimate: 0, held: 60_000 });
  const ear = new LineEar(line);
  await ear.speak(Int16Array.of(1, -2, 300));
  expect(ear.samples).toEqual([-1, 2, -300]);
  await vi.waitFor(() => expect(line.standing.meteredMs).toBeGreaterThan(200));
  await line.close('left');
  expect(ear.ends).toEqual([{ kind: 'closed', reason: 'left' }]);
  const { meteredMs } = line.standing;
  const row = await bench.settled(line.id);
  const record = await settled(service.api, { session_id: row.service_session_id ?? '' } as never);
  expect(row).toMatchObject({ end_reason: 'left', metered_ms: meteredMs, usage_reason: null });
  expect(Math.round(record.charged_usd * 1e6)).toBe(row.charged_micros);
  expect(await bench.hold(line.id)).toMatchObject({ state: 'posted', charged_micros: row.charged_micros });
});
