import { expect, test } from 'vitest';
import {
  beginsToSpeak,
  endsWell,
  expectHeard,
  speaksUntilOpen,
  speech,
  useFaultyTalk,
} from './use-faulty-voice.ts';

test('continues over another session when one is cut in the middle of a word, and both are booked', async () => {
  const place = await useFaultyTalk();
  const { streams, time } = place;

  const { spoken } = await beginsToSpeak(place, await speech(0, 3));
  streams.last.cut();
  await time.during(spoken);
  await speaksUntilOpen(place, 2);
  await expectHeard(place, await speech(0, 2));

  const sessions = await endsWell(place);
  expect(sessions.map(({ row }) => row.end_reason)).toEqual(['lost', 'stopped']);
  expect(sessions.every(({ row }) => (row.charged_micros ?? 0) > 0)).toBe(true);
});

test('detects a connection without traffic, closes it, and continues over another one', async () => {
  const place = await useFaultyTalk({ live: { pingMs: 200, unansweredMax: 2 } });
  const { streams, time } = place;

  const { spoken } = await beginsToSpeak(place, await speech(0, 2));
  const frozen = streams.last;
  frozen.freeze();
  await time.during(spoken);
  await speaksUntilOpen(place, 2);
  // The service has not noticed that the stream is broken: it would keep the session open until its own time limit.
  frozen.cut();
  await expectHeard(place, await speech(0, 2));

  const sessions = await endsWell(place);
  expect(sessions.map(({ row }) => row.end_reason)).toEqual(['lost', 'stopped']);
});
