import { expect, test } from 'vitest';
import { OpusSpeechEncoder } from '../../../../src/audio/opus-speech-encoder.ts';
import { SILENCE_PACKET } from '../../../../src/audio/opus-packet.ts';
import { SeededNoise } from '../../../../src/audio/seeded-noise.ts';
import { peakOf } from '../../../../src/audio/sound-guard.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { VoiceRoom } from '../../../../src/bot/sessions/voice-swap/voice-room.ts';
import { clientPackets, randomPacket } from '../../../audio/use-opus.ts';
import {
  EchoLine,
  MemoryEndpoint,
  Talker,
  type UsedRoom,
  encode,
  frameLevels,
  listen,
  readSpeech,
  sine,
  speak,
  useRoom,
  wordLikeness,
} from './use-room.ts';
import type { SpeechPacket } from '../../../../src/bot/sessions/voice-swap/speech-packet.ts';

/** Delivers each packet at its own time, so they may arrive out of order. */
async function deliver(
  { clock, endpoint, talker }: UsedRoom,
  packets: readonly { readonly packet: SpeechPacket; readonly atMs: number }[],
): Promise<void> {
  const startMs = clock.monotonic();
  for (const { packet, atMs } of packets.toSorted((a, b) => a.atMs - b.atMs)) {
    const waitMs = startMs + atMs - clock.monotonic();
    if (waitMs > 0) await clock.advance(waitMs);
    endpoint.deliver(talker.userId, packet);
  }
}

async function likeness(endpoint: MemoryEndpoint, speech: Float32Array): Promise<number> {
  return wordLikeness(speech, await listen(endpoint));
}

test.each([
  [0.05, 0, 0.95],
  [0.15, 0, 0.9],
  [0, 60, 0.95],
  [0.05, 30, 0.95],
])(
  'speech is heard word by word although a share of %f of the packets is lost and the jitter is %i ms',
  async (share, jitterMs, wanted) => {
    const used = await useRoom();
    const { clock, endpoint, room, talker } = used;
    await room.connect(talker.userId, new EchoLine(clock));
    const speech = await readSpeech();
    const noise = new SeededNoise(7);
    const packets = (await clientPackets(speech))
      .map((opus, n) => ({ packet: talker.packet(opus), atMs: n * 20 + noise.next() * jitterMs }))
      .filter((_, n) => n < 3 || noise.next() >= share);
    await deliver(used, packets);
    await clock.advance(1000);
    expect(await likeness(endpoint, speech)).toBeGreaterThan(wanted);
    const [stats] = room.stats.speakers;
    expect(stats?.addedP95Ms).toBeLessThan(120);
    expect(stats?.legs.underruns).toBeLessThanOrEqual(share === 0.15 ? 7 : 5);
    if (share > 0 && jitterMs === 0) expect(stats?.legs.recovered).toBeGreaterThan(0);
  },
);

test('repeated packets and packets swapped with their neighbours change nothing', async () => {
  const used = await useRoom();
  const { clock, room, talker } = used;
  const line = new EchoLine(clock);
  await room.connect(talker.userId, line);
  const said = await encode(await readSpeech());
  const packets = said.flatMap((opus, n) => {
    const packet = talker.packet(opus);
    const atMs = n % 10 === 4 ? (n + 1) * 20 + 5 : n * 20;
    return n % 7 === 0
      ? [
          { packet, atMs },
          { packet, atMs: atMs + 3 },
        ]
      : [{ packet, atMs }];
  });
  await deliver(used, packets);
  const [stats] = room.stats.speakers;
  expect(stats).toMatchObject({ lost: 0, legs: { concealed: 0 } });
  expect(room.stats.speakers[0]?.reordered).toBeGreaterThan(20);
  expect(line.frames).toBeGreaterThanOrEqual((said.length - 2) * 960);
});

test('another stream of the same member is heard at once', async () => {
  const { clock, endpoint, room, talker } = await useRoom();
  await room.connect(talker.userId, new EchoLine(clock));
  const said = await encode(sine(300, 48_000));
  await speak(clock, talker, said);
  talker.ssrc = 77;
  await speak(clock, talker, said);
  await clock.advance(500);
  const heard = frameLevels(await listen(endpoint));
  expect(heard.slice(5, 95).every((rms) => rms > 0.1)).toBe(true);
  expect(room.stats.speakers[0]?.legs.faults).toBe(0);
});

test('garbage between packets of speech is never sent at full scale', async () => {
  const { clock, room, talker } = await useRoom();
  const line = new EchoLine(clock);
  await room.connect(talker.userId, line);
  const said = await clientPackets(await readSpeech());
  const noise = new SeededNoise(11);
  const packets = said.map((opus, n) => (n % 50 > 44 ? randomPacket(15, 100, noise) : opus));
  await speak(clock, talker, packets);
  await clock.advance(500);
  const sent = Float32Array.from(line.sent.flatMap((chunk) => [...chunk]));
  expect(peakOf(sent) / 32_768).toBeLessThanOrEqual(0.901);
});

test('packets with more sound than time has passed are not decoded', async () => {
  const { clock, endpoint, room, talker } = await useRoom();
  const line = new EchoLine(clock);
  await room.connect(talker.userId, line);
  // Each of these packets lasts 120 ms.
  const longest = Uint8Array.of((31 << 3) | 3, 6);
  for (let second = 0; second < 10; second++) {
    for (let n = 0; n < 100; n++) endpoint.deliver(talker.userId, talker.packet(longest));
    await clock.advance(1000);
  }
  endpoint.deliver(talker.userId, talker.packet(new Uint8Array(60_000)));
  expect(line.frames).toBeLessThan(48_000 * 18);
  expect(room.stats.speakers[0]?.refusedPackets).toBeGreaterThan(800);
});

test('the answer of a service in pieces of any length is heard', async () => {
  const { clock, endpoint, room, talker } = await useRoom();
  const line = new EchoLine(clock);
  const noise = new SeededNoise(3);
  let converted: (samples: Int16Array) => void = () => undefined;
  const onConverted = line.onConverted.bind(line);
  line.onConverted = (listener) => {
    converted = listener;
    onConverted((samples) => {
      for (let at = 0; at < samples.length;) {
        const piece = samples.subarray(at, at + Math.floor(noise.next() * 300));
        converted(piece);
        at += piece.length;
      }
    });
  };
  await room.connect(talker.userId, line);
  const speech = await readSpeech();
  await speak(clock, talker, await encode(speech));
  await clock.advance(500);
  expect(await likeness(endpoint, speech)).toBeGreaterThan(0.95);
  converted(new Int16Array(2_000_000).fill(1000));
  await clock.advance(5000);
  expect(room.stats.speakers[0]?.legs.leftOutMs).toBeGreaterThan(20_000);
});

test('a line that ends in the middle of a word is followed by the next one, and the speech in between is sent', async () => {
  const { clock, room, talker } = await useRoom();
  const [first, second] = [new EchoLine(clock), new EchoLine(clock)];
  await room.connect(talker.userId, first);
  const said = await encode(sine(300, 5 * 48_000));
  await speak(clock, talker, said.slice(0, 50));
  first.end({ kind: 'lost', code: 1006 });
  const rested = room.connect(talker.userId, null);
  await speak(clock, talker, said.slice(50, 80));
  await rested;
  await room.connect(talker.userId, second);
  await speak(clock, talker, said.slice(80, 150));
  await clock.advance(1000);
  const silence = 25;
  expect(first.sent.length + second.sent.length).toBeGreaterThanOrEqual(150);
  expect(first.sent.length + second.sent.length).toBeLessThanOrEqual(150 + silence);
});

test('a line that is closed before its decoder is loaded never receives sound', async () => {
  const { clock, room, talker } = await useRoom();
  const [first, second] = [new EchoLine(clock), new EchoLine(clock)];
  const connecting = room.connect(talker.userId, first);
  await room.connect(talker.userId, second);
  await connecting;
  await speak(clock, talker, await encode(sine(300, 48_000)));
  expect([first.sent.length, second.sent.length]).toEqual([0, 50]);
});

test('packets that the connection rejects are lost, and the rest continues', async () => {
  const { clock, endpoint, room, talker } = await useRoom();
  await room.connect(talker.userId, new EchoLine(clock));
  const said = await encode(sine(300, 3 * 48_000));
  await speak(clock, talker, said.slice(0, 50));
  endpoint.isBroken = true;
  await speak(clock, talker, said.slice(50, 100));
  endpoint.isBroken = false;
  await speak(clock, talker, said.slice(100));
  expect(Math.abs(room.stats.framesRefused - 50)).toBeLessThanOrEqual(2);
  expect(room.stats.framesSent).toBeGreaterThan(90);
});

test('members are heard in one channel and played in another', async () => {
  const clock = new FakeClock();
  const [booth, stage] = [new MemoryEndpoint(clock), new MemoryEndpoint(clock)];
  await OpusSpeechEncoder.open().then((encoder) => encoder[Symbol.dispose]());
  await using room = new VoiceRoom({ listening: booth, speaking: stage, clock, log: silentLogger });
  const talker = new Talker(booth, 'alice');
  await room.connect(talker.userId, new EchoLine(clock));
  await speak(clock, talker, await encode(sine(300, 48_000)));
  expect([booth.spoken.length, stage.heard.length]).toEqual([0, 0]);
  expect(stage.spoken.length).toBeGreaterThan(40);
});

test('a disposed room hears and sends nothing', async () => {
  const { clock, endpoint, room, talker } = await useRoom();
  await room.connect(talker.userId, new EchoLine(clock));
  await speak(clock, talker, await encode(sine(300, 48_000)));
  await room[Symbol.asyncDispose]();
  await room[Symbol.asyncDispose]();
  const spoken = endpoint.spoken.length;
  expect([endpoint.heard, endpoint.hushes]).toEqual([[], [spoken]]);
  await room.connect('bob', new EchoLine(clock));
  await speak(clock, talker, [SILENCE_PACKET]);
  await clock.advance(1000);
  expect([endpoint.heard, endpoint.spoken.length]).toEqual([[], spoken]);
});

test('a thousand members who join, speak and leave leave no memory behind', async () => {
  const { clock, endpoint, room } = await useRoom();
  const said = (await encode(sine(300, 9600))).slice(0, 4);
  const cycle = async (n: number): Promise<void> => {
    const talker = new Talker(endpoint, `member ${n}`);
    await room.connect(talker.userId, new EchoLine(clock, { sampleRateHz: 16_000, chunkFrames: 320 }));
    await speak(clock, talker, said);
    room.disconnect(talker.userId);
    endpoint.spoken.length = 0;
    endpoint.hushes.length = 0;
  };
  for (let n = 0; n < 100; n++) await cycle(n);
  const before = process.memoryUsage.rss();
  for (let n = 0; n < 1000; n++) await cycle(n);
  // Each member has decoders of 100 KiB outside the heap: if 1,000 members' decoders leaked, that would be about 100
  // MiB.
  expect((process.memoryUsage.rss() - before) / 2 ** 20).toBeLessThan(60);
});

test('after a standstill of the process no sound arrives in a burst, and speech is soon live again', async () => {
  const { clock, endpoint, room, talker } = await useRoom({ stall: [2000, 2400] });
  await room.connect(talker.userId, new EchoLine(clock));
  const speech = await readSpeech();
  await speak(clock, talker, await encode(speech));
  const times = endpoint.spoken.map(({ atMs }) => atMs);
  const bursts = times.filter((atMs, n) => n >= 4 && atMs - (times[n - 4] ?? 0) < 40);
  expect(bursts).toEqual([]);
  expect(room.stats.framesMissed).toBeGreaterThan(15);
  const waits = room.stats.speakers[0];
  expect(waits?.addedP50Ms).toBeLessThan(60);
  expect(waits?.addedP95Ms).toBeGreaterThan(100);
  await speak(clock, talker, await encode(speech.subarray(0, 3 * 48_000)));
  expect(room.stats.speakers[0]?.legs.leftOutMs).toBeGreaterThan(300);
});

test('the delay does not grow in three minutes with a service that is sometimes late', async () => {
  const { clock, room, talker } = await useRoom();
  const noise = new SeededNoise(6);
  const delayMs = (): number => 80 + (noise.next() < 0.05 ? noise.next() * 60 : noise.next() * 4);
  await room.connect(talker.userId, new EchoLine(clock, { delayMs }));
  const said = await encode(await readSpeech());
  const medians: number[] = [];
  for (let minute = 0; minute < 3; minute++) {
    for (let n = 0; n < 3000; n += said.length) await speak(clock, talker, said.slice(0, 3000 - n));
    medians.push(room.stats.speakers[0]?.addedP50Ms ?? 0);
  }
  expect(Math.max(...medians)).toBeLessThan(90);
  expect((medians[2] ?? 0) - (medians[0] ?? 0)).toBeLessThanOrEqual(20);
  expect(room.stats.speakers[0]?.legs.underruns).toBeLessThan(30);
});
