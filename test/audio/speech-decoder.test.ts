import { expect, onTestFinished, test } from 'vitest';
import { SeededNoise } from '../../src/audio/seeded-noise.ts';
import { SoundGuard, peakOf } from '../../src/audio/sound-guard.ts';
import { SpeechDecoder } from '../../src/audio/speech-decoder.ts';
import { clientPackets, randomPacket, similarity, speechAt } from './use-opus.ts';

async function useSpeechDecoder(rate: 16_000 | 48_000 = 48_000): Promise<SpeechDecoder> {
  const decoder = await SpeechDecoder.open(rate);
  onTestFinished(() => decoder[Symbol.dispose]());
  return decoder;
}

const CONFIGS = Array.from({ length: 32 }, (_, config) => config);

test.each(CONFIGS)(
  'keeps random bytes that claim to be Opus (configuration %i) below full scale',
  async (config) => {
    const noise = new SeededNoise(config + 1);
    const decoder = await useSpeechDecoder();
    let loudest = 0;
    for (let n = 0; n < 400; n++) {
      const sound = decoder.decode(randomPacket(config, 30 + Math.floor(noise.next() * 130), noise));
      loudest = Math.max(loudest, peakOf(sound));
    }
    expect(loudest).toBeLessThanOrEqual(0.9);
  },
);

test('keeps packets that were not decrypted quiet, however many random bytes arrive', async () => {
  const noise = new SeededNoise(5);
  const decoder = await useSpeechDecoder();
  let loudest = 0;
  for (let n = 0; n < 1000; n++) {
    const config = Math.floor(noise.next() * 32);
    const sound = decoder.decode(randomPacket(config, 30 + Math.floor(noise.next() * 130), noise));
    loudest = Math.max(loudest, peakOf(sound));
  }
  expect(loudest).toBeLessThan(0.35);
});

test('plays noise in place of some speech packets hardly louder than the speech', async () => {
  const packets = await clientPackets(await speechAt(0.4));
  const config = (packets[0]?.[0] ?? 0) >> 3;
  const noise = new SeededNoise(9);
  for (let round = 0; round < 20; round++) {
    const decoder = await useSpeechDecoder();
    for (const packet of packets.slice(10, 60)) decoder.decode(packet);
    const after = Array.from({ length: 5 }, () => peakOf(decoder.decode(randomPacket(config, 120, noise))));
    expect(Math.max(...after)).toBeLessThan(0.75);
  }
});

test('passes ordinary and loud speech unchanged, except for its first moments', async () => {
  for (const peak of [0.1, 0.25, 0.5, 0.95]) {
    const speech = await speechAt(peak);
    const decoder = await useSpeechDecoder();
    const packets = await clientPackets(speech);
    for (const packet of packets) decoder.decode(packet);
    const before = decoder.counts.bounded;
    expect(before).toBeLessThan(packets.length * 0.05);
    const again = packets.map((packet) => decoder.decode(packet));
    expect(decoder.counts.bounded - before).toBeLessThanOrEqual(peak > 0.9 ? 6 : 0);
    expect(Math.max(...again.map((sound) => peakOf(sound)))).toBeLessThanOrEqual(0.9);
  }
});

test('conceals lost packets, fades out within 80 ms and keeps their duration as silence', async () => {
  const packets = await clientPackets(await speechAt(0.5));
  const decoder = await useSpeechDecoder(16_000);
  for (const packet of packets.slice(0, 30)) decoder.decode(packet);
  const lost = Array.from({ length: 8 }, () => decoder.lost());
  expect(lost.map(({ length }) => length)).toEqual(Array.from({ length: 8 }, () => 320));
  expect(peakOf(lost[0] ?? new Float32Array())).toBeGreaterThan(0.01);
  expect(lost.slice(4).map((sound) => peakOf(sound))).toEqual([0, 0, 0, 0]);
  const back = decoder.decode(packets[38] ?? new Uint8Array());
  expect(Math.abs(back[0] ?? 1)).toBeLessThan(0.02);
  expect(decoder.counts).toMatchObject({ concealed: 8, recovered: 0, faults: 0 });
});

test.each([0.05, 0.15])(
  'plays no audible gap and keeps the length when a share of %f of the packets is lost',
  async (share) => {
    const speech = await speechAt(0.5);
    const packets = await clientPackets(speech);
    const noise = new SeededNoise(3);
    const [whole, holed] = [await useSpeechDecoder(), await useSpeechDecoder()];
    const sounds = packets.map((packet) => whole.decode(packet));
    const repaired = packets.map((packet, n) =>
      n > 5 && noise.next() < share ? holed.lost(packets[n + 1]) : holed.decode(packet),
    );
    const { recovered, concealed } = holed.counts;
    expect(recovered + concealed).toBeGreaterThan(share * 200);
    expect(recovered).toBeGreaterThan(concealed / 3);
    const flat = (all: Float32Array[]): Float32Array => Float32Array.from(all.flatMap((sound) => [...sound]));
    expect(flat(repaired)).toHaveLength(packets.length * 960);
    expect(similarity(flat(sounds), flat(repaired))).toBeGreaterThan(share === 0.05 ? 10 : 6);
  },
);

test('turns samples that are not numbers into silence', () => {
  const guard = new SoundGuard(48_000);
  const sound = new Float32Array(960).fill(Number.NaN);
  guard.process(sound);
  expect(peakOf(sound)).toBe(0);
  const endless = new Float32Array(960).fill(Infinity);
  guard.process(endless);
  expect(peakOf(endless)).toBeLessThanOrEqual(0.25);
});
