import { expect, onTestFinished, test, vi } from 'vitest';
import { sumAccounts } from '../../../../db/queries/ledger-entries.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { verifyLedger } from '../../../../src/bot/money/ledger/verify-ledger.ts';
import type { WireBalance, WireUsageRecord } from '../../../../src/media-api/wire.ts';
import { Reconciliation } from '../../../../src/bot/money/reconciliation/reconciliation.ts';
import { FaultProxy } from '../../../whole/faults/fault-proxy.ts';
import { type SessionBench, LineEar, aRequest, usePaidSessions } from '../../sessions/use-paid-sessions.ts';
import { ScalingVoices } from '../../../media-server/sessions/stream-engines.ts';
import { type UsedServer, useServer } from '../../../media-server/use-server.ts';
import { NO_NOTES } from './no-notes.ts';

interface VoiceAccount {
  readonly bench: SessionBench;
  readonly service: UsedServer;
  readonly reconciliation: Reconciliation;
}

/** Creates a media server whose usage log uses its own ids, and a bot's sessions and books. */
async function useVoiceAccount(): Promise<VoiceAccount> {
  const service = await useServer({ engines: { voiceSwap: new ScalingVoices() } });
  const proxy = await FaultProxy.open();
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const { origin, pathname } = new URL(service.server.baseUrl);
  proxy.target = origin;
  proxy.order({
    matches: ({ path }) => path.startsWith(`${pathname}/usage?`),
    times: Infinity,
    fault: { kind: 'change', change: withOtherIds },
  });
  const comparing: Reconciliation[] = [];
  const bench = await usePaidSessions(
    { baseUrl: `${proxy.origin}${pathname}` },
    {
      api: { apiKey: service.server.apiKey },
      sessions: { onUnnamed: () => void comparing[0]?.run() },
    },
  );
  const { database: db, ledger, api } = bench;
  const clock = systemClock;
  const parts = { db, ledger, api, clock, log: silentLogger, notes: NO_NOTES };
  const reconciliation = new Reconciliation(parts);
  onTestFinished(() => reconciliation[Symbol.asyncDispose]());
  comparing.push(reconciliation);
  await reconciliation.run();
  return { bench, service, reconciliation };
}

function withOtherIds(body: string): string {
  const records = JSON.parse(body) as WireUsageRecord[];
  return JSON.stringify(
    records.map((record) => ({ ...record, id: record.id.split('').toReversed().join('') })),
  );
}

/** Opens a new session, sends `times` chunks of sound, and closes the session. Returns its id. */
async function speaks({ bench }: VoiceAccount, times: number, userId = '100'): Promise<string> {
  const line = await bench.sessions.voice.open(aRequest({ userId }));
  const ear = new LineEar(line);
  const sound = new Int16Array(line.chunkFrames).fill(1_000);
  for (let count = 0; count < times; count++) await ear.speak(sound);
  await vi.waitFor(() => expect(line.standing.meteredMs).toBeGreaterThan(20 * times));
  await line.close('idle');
  return line.id;
}

test('the books soon show the exact charges of sessions that have other ids in the usage log', async () => {
  const account = await useVoiceAccount();
  const { bench, service, reconciliation } = account;
  const ids: string[] = [];
  for (let count = 1; count <= 4; count++) ids.push(await speaks(account, count));

  for (const id of ids) await bench.settled(id);

  const { total_spent_usd: spentUsd } = (await service.api.get('/balance')).json as WireBalance;
  const { spent, pending } = await sumAccounts(bench.database.kysely, 'guild');
  expect(spentUsd).toBeGreaterThan(0);
  expect([spent, pending]).toEqual([Math.round(spentUsd * 1e6), 0]);
  const { json } = await service.api.get('/usage?limit=500');
  const charged = new Map((json as WireUsageRecord[]).map((record) => [record.id, record.charged_usd]));
  for (const row of await bench.rows()) {
    expect(row.charged_micros).toBe(Math.round((charged.get(row.service_session_id ?? '') ?? 0) * 1e6));
  }
  expect(await reconciliation.run()).toMatchObject({ difference: 0, drift: 0, heldAtService: 0 });
  await verifyLedger(bench.database.kysely, (difference) => expect(difference).toBeUndefined());
});

test('a session that is open while others end is settled with them, when it ends', async () => {
  const account = await useVoiceAccount();
  const { bench } = account;
  const long = await bench.sessions.voice.open(aRequest({ userId: '200' }));
  await new LineEar(long).speak(new Int16Array(long.chunkFrames));
  const short = await speaks(account, 1);
  await long.close('left');
  const rows = await Promise.all([bench.settled(short), bench.settled(long.id)]);
  for (const { charged_micros: charged, metered_ms: meteredMs } of rows) {
    expect(Math.abs((charged ?? 0) - meteredMs)).toBeLessThan(1_000);
  }
});
