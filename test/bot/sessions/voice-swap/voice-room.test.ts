import { expect, test } from 'vitest';
import { correlation } from '../../../media-server/engine/correlation.ts';
import { SILENCE_PACKET } from '../../../../src/audio/opus-packet.ts';
import { powerSpectrum } from '../../../audio/analysis.ts';
import {
  EchoLine,
  Talker,
  encode,
  frameLevels,
  listen,
  readSpeech,
  sine,
  speak,
  useRoom,
  wordLikeness,
} from './use-room.ts';

test('speech is sent over the line and heard soon after its return, in a packet every 20 ms', async () => {
  const { clock, endpoint, room, talker } = await useRoom();
  const line = new EchoLine(clock, { delayMs: () => 50 });
  await room.connect(talker.userId, line);
  const speech = await readSpeech();
  await speak(clock, talker, await encode(speech));
  await clock.advance(1000);
  expect(wordLikeness(speech, await listen(endpoint))).toBeGreaterThan(0.95);
  expect(endpoint.hushes).toEqual([endpoint.spoken.length]);
  const steps = endpoint.spoken.slice(1).map(({ atMs }, n) => atMs - (endpoint.spoken[n]?.atMs ?? 0));
  expect(Math.max(...steps)).toBeLessThanOrEqual(20);
  const [stats] = room.stats.speakers;
  expect(stats?.addedP50Ms).toBeLessThan(20);
  expect(stats?.addedP95Ms).toBeLessThan(25);
  expect(stats).toMatchObject({ lost: 0, late: 0, legs: { underruns: 0, refused: 0, faults: 0 } });
});

test('three members are mixed into each packet, and a member who is not connected is not heard', async () => {
  const { clock, endpoint, room } = await useRoom();
  const tones = [300, 700, 1500];
  const talkers = tones.map((_, n) => new Talker(endpoint, `member ${n}`));
  const stranger = new Talker(endpoint, 'stranger');
  for (const { userId } of talkers) await room.connect(userId, new EchoLine(clock));
  expect(endpoint.heard).toEqual(['member 0', 'member 1', 'member 2']);
  const said = await Promise.all([...tones, 2500].map((hz) => encode(sine(hz, 96_000))));
  for (let n = 0; n < 100; n++) {
    for (const [m, talker] of [...talkers, stranger].entries()) talker.say(said[m]?.[n] ?? SILENCE_PACKET);
    await clock.advance(20);
  }
  const power = powerSpectrum(await listen(endpoint), 48_000, 4096);
  const at = (hz: number): number => power[Math.round((hz * 4096) / 48_000)] ?? 0;
  for (const hz of tones) expect(at(hz)).toBeGreaterThan(1000 * at(2500));
  expect(room.stats.framesRefused).toBe(0);
});

test('while nobody speaks nothing is sent and no timer runs; each stretch ends with frames of silence', async () => {
  const { clock, endpoint, room, talker } = await useRoom();
  await room.connect(talker.userId, new EchoLine(clock));
  const said = await encode(sine(300, 48_000));
  for (let stretch = 1; stretch <= 3; stretch++) {
    await speak(clock, talker, said);
    await speak(
      clock,
      talker,
      Array.from({ length: 5 }, () => SILENCE_PACKET),
    );
    await clock.advance(1500);
    expect(endpoint.hushes).toHaveLength(stretch);
    expect(clock.pendingTimers).toBe(0);
  }
  const spoken = endpoint.spoken.length;
  expect(endpoint.hushes.at(-1)).toBe(spoken);
  expect(spoken).toBeLessThan(3 * 70);
  await speak(
    clock,
    talker,
    Array.from({ length: 50 }, () => SILENCE_PACKET),
  );
  await clock.advance(1000);
  expect(endpoint.spoken).toHaveLength(spoken);
});

test('a disconnected member is not heard from that moment on, and none of their sound is played', async () => {
  const { clock, endpoint, room, talker } = await useRoom();
  const line = new EchoLine(clock);
  await room.connect(talker.userId, line);
  const said = await encode(sine(300, 48_000));
  await speak(clock, talker, said);
  room.disconnect(talker.userId);
  const sent = line.sent.length;
  expect(endpoint.heard).toEqual([]);
  const spoken = endpoint.spoken.length;
  await speak(clock, talker, said);
  expect(line.sent).toHaveLength(sent);
  const after = frameLevels(await listen(endpoint)).slice(spoken + 2);
  expect(Math.max(0, ...after)).toBeLessThan(0.01);
  expect(endpoint.hushes).toHaveLength(1);
  expect(clock.pendingTimers).toBe(0);
});

test('speech during the opening of a line is sent and heard, and is soon live again', async () => {
  const { clock, endpoint, room, talker } = await useRoom();
  const heardSpeaking: number[] = [];
  room.onSpeech(() => heardSpeaking.push(clock.monotonic()));
  await room.connect(talker.userId, null);
  const speech = (await readSpeech()).subarray(9600);
  const said = await encode(speech);
  const startMs = clock.monotonic();
  await speak(clock, talker, said.slice(0, 40));
  expect((heardSpeaking[0] ?? Infinity) - startMs).toBeLessThan(400);
  expect(heardSpeaking.length).toBeLessThanOrEqual(4);
  const line = new EchoLine(clock);
  await room.connect(talker.userId, line);
  await speak(clock, talker, said.slice(40));
  await clock.advance(1500);
  expect(line.frames).toBeGreaterThanOrEqual(said.length * 960);
  const heard = frameLevels(await listen(endpoint));
  const first = frameLevels(speech).slice(0, 12);
  const lags = Array.from({ length: 10 }, (_, lag) => correlation(first, heard.slice(lag, lag + 12)));
  expect(Math.max(...lags)).toBeGreaterThan(0.8);
  // The output has caught up: it is less than 30 frames (600 ms) longer than the input.
  expect(heard.length).toBeLessThan(said.length + 30);
  expect(room.stats.speakers[0]?.addedP50Ms).toBeLessThan(120);
});

test('at most the last second and a half is kept from an hour without a line', async () => {
  const { clock, room, talker } = await useRoom();
  await room.connect(talker.userId, null);
  await speak(clock, talker, await encode(sine(300, 480_000)));
  const line = new EchoLine(clock);
  await room.connect(talker.userId, line);
  await clock.advance(3000);
  expect(line.frames).toBeLessThan(48_000 * 2.2);
  expect(line.frames).toBeGreaterThan(48_000 * 1.4);
});

test.each([48_000, 16_000, 44_100])(
  'another line (of %i Hz) takes over in the middle of speech without losing a word',
  async (rate) => {
    const { clock, endpoint, room, talker } = await useRoom();
    const [first, second] = [
      new EchoLine(clock),
      new EchoLine(clock, { sampleRateHz: rate, chunkFrames: rate / 50 }),
    ];
    await room.connect(talker.userId, first);
    const speech = await readSpeech();
    const said = await encode(speech);
    await speak(clock, talker, said.slice(0, 150));
    const before = first.sent.length;
    const switched = room.connect(talker.userId, second).then(() => first.close('replaced'));
    await speak(clock, talker, said.slice(150));
    await switched;
    await clock.advance(1000);
    const speechFirst = first.sent.slice(0, before + 51);
    const onFirst = speechFirst.findLastIndex((chunk) => chunk.some((x) => Math.abs(x) > 3)) + 1;
    expect(onFirst).toBeGreaterThanOrEqual(before);
    const silence = Math.ceil(500 / 20);
    expect(onFirst + second.sent.length).toBeGreaterThanOrEqual(said.length - silence);
    expect(wordLikeness(speech, await listen(endpoint))).toBeGreaterThan(0.95);
  },
);

test.each([
  [8000, 160],
  [16_000, 48_000],
  [24_000, 480],
  [40_000, 1000],
  [44_100, 4096],
  [48_000, 160],
  [48_000, 48_000],
])('a service may request %i Hz in chunks of %i', async (sampleRateHz, chunkFrames) => {
  const { clock, endpoint, room, talker } = await useRoom();
  const line = new EchoLine(clock, { sampleRateHz, chunkFrames });
  await room.connect(talker.userId, line);
  const speech = await readSpeech();
  await speak(clock, talker, await encode(speech));
  await clock.advance(8000);
  expect(new Set(line.sent.map(({ length }) => length))).toEqual(new Set([chunkFrames]));
  expect(wordLikeness(speech, await listen(endpoint))).toBeGreaterThan(0.95);
  expect(room.stats.speakers[0]?.legs.underruns).toBeLessThanOrEqual(1);
  expect(room.stats.speakers[0]?.addedP50Ms).toBeLessThan(45);
  expect([clock.pendingTimers, endpoint.hushes.length]).toEqual([0, 1]);
});
