import { expect, test } from 'vitest';
import { pseudonymiseHolds } from '../../../../db/queries/personal-data.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { PrivacyDesk } from '../../../../src/bot/people/members/privacy-desk.ts';
import { LineEar, type SessionBench, aRequest, usePaidSessions } from '../../sessions/use-paid-sessions.ts';
import { FORMAT, useStubService } from '../../sessions/use-stub-service.ts';

const ADA = '111222333444555666';
const BEN = '777888999000111222';

/** Creates sessions in which both members have spoken once. */
async function useSpoken(): Promise<SessionBench> {
  const service = await useStubService({}, ({ socket }) => {
    socket.send(FORMAT);
    socket.on('message', (data) => socket.send(data));
  });
  const bench = await usePaidSessions(service);
  for (const userId of [ADA, BEN]) {
    const ear = new LineEar(await bench.sessions.voice.open(aRequest({ userId, channelId: `of ${userId}` })));
    await ear.speak();
    await ear.line.close('left');
  }
  await expect.poll(async () => (await bench.rows()).map(({ state }) => state)).toEqual(['ended', 'ended']);
  return bench;
}

function deskOf(bench: SessionBench): PrivacyDesk {
  return new PrivacyDesk({
    db: bench.database,
    clock: new FakeClock(),
    pseudonymOf: () => 'gone',
    onRemoval: () => undefined,
    resultKeepMs: 1,
  });
}

test('exports the sessions of a member, and of nobody else', async () => {
  const bench = await useSpoken();
  const text = await deskOf(bench).export(ADA);
  const { live_sessions: sessions } = JSON.parse(text) as { live_sessions: unknown };
  expect(sessions).toEqual([
    {
      id: expect.stringMatching(/^live_/),
      what: 'voice_swap',
      server_id: 'guild',
      channel_id: `of ${ADA}`,
      voice: 'mirror',
      asked_at: expect.stringMatching(/^20.*Z$/),
      ended_at: expect.stringMatching(/^20.*Z$/),
      seconds: expect.any(Number),
      charged: null,
    },
  ]);
  expect(text).not.toContain(BEN);
});

test('removes all data of a member from a session except its cost', async () => {
  const bench = await useSpoken();
  const whose = { guild_id: 'guild', user_id: ADA };
  await bench.database.transaction('guild:guild', (trx) =>
    pseudonymiseHolds(trx, whose, { pseudonym: 'gone_a', untilMs: Number.MAX_SAFE_INTEGER }),
  );
  const [adas, bens] = await bench.rows();
  expect(adas).toMatchObject({ user_id: 'gone_a', channel_id: '', voice_id: null, max_cost_micros: 60_000 });
  expect(bens).toMatchObject({ user_id: BEN, voice_id: 'mirror' });
  expect(JSON.stringify(adas)).not.toContain(ADA);
});
