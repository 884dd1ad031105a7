import { expect, it } from 'vitest';
import type { ProxiedStream } from './stream-proxy.ts';
import {
  type FaultyVoice,
  PATIENCE,
  endsWell,
  expectHeard,
  shown,
  speaksUntilOpen,
  speech,
  useFaultyTalk,
} from './use-faulty-voice.ts';

it('is heard though the service answers in odd pieces, among texts that mean nothing', async () => {
  const place = await useFaultyTalk({
    before: ({ streams }) => void (streams.fault = 'ragged'),
  });

  await expectHeard(place, await speech(0, 2));

  const sessions = await endsWell(place);
  expect(sessions.map(({ row }) => row.end_reason)).toEqual(['stopped']);
});

it('sends nothing and pays nothing where the service does not say how it speaks, and says so', async () => {
  const place = await useFaultyTalk({
    live: { formatMs: 400 },
    before: ({ streams }) => void (streams.fault = 'mute'),
  });
  const { streams } = place;
  await expect.poll(() => shown(place), PATIENCE).toContain('cannot be reached');
  const sent = streams.last.sent;
  streams.fault = null;
  await expect.poll(() => speaksUntilOpen(place, 1), { ...PATIENCE, interval: 200 }).toBe(true);
  await expectHeard(place, await speech(0, 2));

  expect(sent).toBe(0);
  const sessions = await endsWell(place);
  expect(sessions.at(-1)?.row).toMatchObject({ end_reason: 'stopped' });
  for (const { row } of sessions.slice(0, -1)) {
    expect(row).toMatchObject({ end_reason: 'no_format', charged_micros: 0 });
  }
});

it('leaves a service that takes speech and gives none back, pays nothing, and says so', async () => {
  const place = await useFaultyTalk({ voice: { unansweredMs: 2_000 } });
  const { streams, voices } = place;
  voices.pause();
  const [first] = streams.streams;

  await expect.poll(() => speaksUntilClosed(place, first), { ...PATIENCE, interval: 0 }).toBe(true);
  await expect.poll(() => shown(place), PATIENCE).toContain('does not answer');
  const sent = first?.sent ?? 0;
  voices.release();
  await expect.poll(() => speaksUntilOpen(place, 2), { ...PATIENCE, interval: 200 }).toBe(true);
  await expectHeard(place, await speech(0, 2));

  expect(sent).toBeGreaterThan(100_000);
  const sessions = await endsWell(place);
  expect(sessions[0]?.row).toMatchObject({ end_reason: 'unanswered', charged_micros: 0 });
  expect(sessions.at(-1)?.row).toMatchObject({ end_reason: 'stopped' });
});

async function speaksUntilClosed({ ada }: FaultyVoice, stream: ProxiedStream | undefined): Promise<boolean> {
  await ada.voice.speaks(await speech(0, 2));
  return stream?.isOpen === false;
}
