import sharp from 'sharp';
import { expect, test, vi } from 'vitest';
import type { SessionListener } from '../../../src/bot/sessions/paid-session.ts';
import { GreyFaces } from '../../media-server/sessions/stream-engines.ts';
import { useServer } from '../../media-server/use-server.ts';
import { usePaidSessions } from './use-paid-sessions.ts';

class Screen implements SessionListener {
  readonly texts: string[] = [];
  readonly frames: Buffer[] = [];

  onText(text: string): void {
    this.texts.push(text);
  }

  onConverted(data: Buffer): void {
    this.frames.push(data);
  }
}

test('face sessions are held, metered and settled in the same way as voice sessions', async () => {
  const { server } = await useServer({ engines: { liveSwap: new GreyFaces() } });
  const bench = await usePaidSessions({ baseUrl: server.baseUrl }, { api: { apiKey: server.apiKey } });
  const screen = new Screen();
  const session = await bench.sessions.opener.open(
    {
      guildId: 'guild',
      channelId: 'channel',
      userId: '100',
      roleIds: [],
      capability: 'live_swap_pro',
      voiceId: null,
      seconds: 60,
      ask: (options) => bench.api.sessions.openLive({ minutes: 1, prompt: 'an elderly man' }, options),
    },
    screen,
  );
  expect(session.granted).toMatchObject({ grantedSeconds: 60 });
  expect(session.granted.prompt).toContain('an elderly man');
  expect(await bench.hold(session.id)).toMatchObject({ amount_micros: session.granted.maxCost });
  expect(session.standing.meteredMs).toBe(0);

  const picture = await sharp({ create: { width: 32, height: 32, channels: 3, background: '#f00' } })
    .jpeg()
    .toBuffer();
  expect(session.send(picture, 1_000_000)).toBe(true);
  await vi.waitFor(() => expect(screen.frames).toHaveLength(1));
  await vi.waitFor(() => expect(session.standing.meteredMs).toBeGreaterThan(100));
  await session.close('stopped');
  const row = await bench.settled(session.id);
  expect(row).toMatchObject({ capability: 'live_swap_pro', end_reason: 'stopped', voice_id: null });
  const { estimate } = session.standing;
  expect(Math.abs((row.charged_micros ?? NaN) - estimate)).toBeLessThan(session.granted.maxCost / 60);
});
