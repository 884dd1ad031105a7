import { expect, test } from 'vitest';
import { endsWell, expectHeard, shown, speaksUntilOpen, speech, useFaultyTalk } from './use-faulty-voice.ts';

test('is heard although the service answers in odd pieces, mixed with meaningless texts', async () => {
  const place = await useFaultyTalk({
    before: ({ streams }) => void (streams.fault = 'ragged'),
  });

  await expectHeard(place, await speech(0, 2));

  const sessions = await endsWell(place);
  expect(sessions.map(({ row }) => row.end_reason)).toEqual(['stopped']);
});

test('sends nothing and pays nothing if the service does not state its format, and reports that', async () => {
  const place = await useFaultyTalk({
    live: { formatMs: 400 },
    before: ({ streams }) => void (streams.fault = 'mute'),
  });
  const { streams, time } = place;
  await time.until(async () => expect(await shown(place)).toContain('cannot be reached'));
  const sent = streams.last.sent;
  streams.fault = null;
  await speaksUntilOpen(place, 1);
  await expectHeard(place, await speech(0, 2));

  expect(sent).toBe(0);
  const sessions = await endsWell(place);
  expect(sessions.at(-1)?.row).toMatchObject({ end_reason: 'stopped' });
  for (const { row } of sessions.slice(0, -1)) {
    expect(row).toMatchObject({ end_reason: 'no_format', charged_micros: 0 });
  }
});

test('leaves a service that accepts speech and returns none, pays nothing, and reports that', async () => {
  const place = await useFaultyTalk({ voice: { unansweredMs: 2_000 } });
  const { ada, streams, voices, time } = place;
  voices.pause();
  const [first] = streams.streams;

  const said = await speech(0, 2);
  await time.until(
    async () => {
      await ada.voice.speaks(said);
      expect(first?.isOpen).toBe(false);
    },
    { everyMs: 0 },
  );
  await time.until(async () => expect(await shown(place)).toContain('does not answer'));
  const sent = first?.sent ?? 0;
  voices.release();
  await speaksUntilOpen(place, 2);
  await expectHeard(place, await speech(0, 2));

  expect(sent).toBeGreaterThan(100_000);
  const sessions = await endsWell(place);
  expect(sessions[0]?.row).toMatchObject({ end_reason: 'unanswered', charged_micros: 0 });
  expect(sessions.at(-1)?.row).toMatchObject({ end_reason: 'stopped' });
});
