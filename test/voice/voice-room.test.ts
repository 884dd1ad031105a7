import { expect, test } from 'vitest';
import { correlation } from '../engine/correlation.ts';
import { EchoLine, encode, envelope, listen, readSpeech, speak, useRoom } from './use-room.ts';

test('speech goes over the line and is heard again, a packet every 20 ms, soon after it came back', async () => {
  const { clock, endpoint, room, talker } = await useRoom();
  const line = new EchoLine(clock, { delayMs: () => 50 });
  await room.connect(talker.userId, line);
  const speech = await readSpeech();
  await speak(clock, talker, await encode(speech));
  await clock.advance(1000);
  const heard = envelope(await listen(endpoint));
  const said = envelope(speech);
  const lags = Array.from({ length: 6 }, (_, lag) =>
    correlation(said.slice(20, 280), heard.slice(20 - lag, 280 - lag)),
  );
  expect(Math.max(...lags)).toBeGreaterThan(0.95);
  expect(endpoint.hushes).toEqual([endpoint.spoken.length]);
  const steps = endpoint.spoken.slice(1).map(({ atMs }, n) => atMs - (endpoint.spoken[n]?.atMs ?? 0));
  expect(Math.max(...steps)).toBeLessThanOrEqual(20);
  const [stats] = room.stats.speakers;
  expect(stats?.addedP50Ms).toBeLessThan(20);
  expect(stats?.addedP95Ms).toBeLessThan(25);
  expect(stats).toMatchObject({ lost: 0, late: 0, legs: { underruns: 0, refused: 0, faults: 0 } });
});
