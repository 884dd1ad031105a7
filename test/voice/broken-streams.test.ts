import { expect, it } from 'vitest';
import {
  PATIENCE,
  endsWell,
  expectHeard,
  speaksUntilOpen,
  speech,
  useFaultyTalk,
} from './use-faulty-voice.ts';

it('goes on over another session when one is cut in the middle of a word, and both are booked', async () => {
  const place = await useFaultyTalk();
  const { ada, streams } = place;
  const said = await speech(0, 2);
  await expectHeard(place, said);

  const speaking = ada.voice.speaks(said);
  await expect.poll(() => ada.voice.isSpeaking).toBe(true);
  streams.last.cut();
  await speaking;
  await expect.poll(() => speaksUntilOpen(place, 2), { ...PATIENCE, interval: 200 }).toBe(true);
  await expectHeard(place, said);

  const sessions = await endsWell(place);
  expect(sessions.map(({ row }) => row.end_reason)).toEqual(['lost', 'stopped']);
  expect(sessions.every(({ row }) => (row.charged_micros ?? 0) > 0)).toBe(true);
});

it('notices a link on which nothing passes any more, closes it, and goes on over another one', async () => {
  const place = await useFaultyTalk({ live: { pingMs: 200, unansweredMax: 2 } });
  const { streams } = place;
  const said = await speech(0, 2);
  await expectHeard(place, said);

  const frozen = streams.last;
  frozen.freeze();
  await expect.poll(() => speaksUntilOpen(place, 2), { ...PATIENCE, interval: 200 }).toBe(true);
  // The service has not heard of it: it would go on until it gives up by itself.
  frozen.cut();
  await expectHeard(place, said);

  const sessions = await endsWell(place);
  expect(sessions.map(({ row }) => row.end_reason)).toEqual(['lost', 'stopped']);
});
