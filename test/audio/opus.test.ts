import { type OpusDecoderHandle, createDecoder, createEncoder } from 'libopus-wasm';
import { expect, onTestFinished, test } from 'vitest';
import { OPUS_RATES, OpusDecoder } from '../../src/audio/opus-decoder.ts';
import { SILENCE_PACKET, holdsPrevious, packetMode, packetMs } from '../../src/audio/opus-packet.ts';
import { OpusSpeechEncoder } from '../../src/audio/opus-speech-encoder.ts';
import { SeededNoise } from '../../src/audio/seeded-noise.ts';
import { peakOf } from '../../src/audio/sound-guard.ts';
import { clientPackets, randomPacket, similarity, speechAt } from './use-opus.ts';

async function useDecoder(...args: Parameters<typeof OpusDecoder.open>): Promise<OpusDecoder> {
  const decoder = await OpusDecoder.open(...args);
  onTestFinished(() => decoder[Symbol.dispose]());
  return decoder;
}

test('decodes each packet to 20 ms at every sample rate of Opus, in mono and stereo', async () => {
  const speech = (await speechAt(0.5)).subarray(0, 48_000);
  for (const channels of [1, 2] as const) {
    const packets = await clientPackets(speech, channels);
    for (const rate of OPUS_RATES) {
      const decoder = await useDecoder(rate);
      const sounds = packets.map((packet) => decoder.decode(packet));
      expect(new Set(sounds.map((sound) => sound?.length))).toEqual(new Set([rate / 50]));
      const peaks = sounds.map((sound) => peakOf(sound ?? new Float32Array(0)));
      expect(Math.max(...peaks)).toBeGreaterThan(0.2);
    }
  }
});

test('returns the duration that the first bytes of packets of 2.5 to 120 ms state', async () => {
  const decoder = await useDecoder(48_000);
  for (const ms of [2.5, 5, 10, 20, 40, 60]) {
    using encoder = await createEncoder({ channels: 1, frameSize: 48 * ms });
    const packet = encoder.encodeFloat(new Float32Array(48 * ms).fill(0.1));
    expect([packetMs(packet), decoder.decode(packet)?.length]).toEqual([ms, 48 * ms]);
  }
  // Six frames of 20 ms each, all of them empty: 120 ms without any data.
  const longest = Uint8Array.of((31 << 3) | 3, 6);
  expect([packetMs(longest), decoder.decode(longest)?.length]).toEqual([120, 5760]);
});

test.each([
  ['an empty packet', []],
  ['a missing number of frames', [0xfb]],
  ['no frames', [0xfb, 0]],
  ['more than 120 ms', [0xfb, 7]],
  ['an odd number of bytes for two frames', [0xf9, 1, 2, 3]],
  ['a length beyond the end of the packet', [0xfa, 200, 1]],
])('rejects %s as Opus and continues to decode', async (_what, bytes) => {
  const decoder = await useDecoder(16_000);
  expect(decoder.decode(Uint8Array.from(bytes))).toBeUndefined();
  expect(decoder.decode(new Uint8Array(5000).fill(0xf8))).toBeUndefined();
  expect(decoder.decode(SILENCE_PACKET)).toHaveLength(320);
  expect(decoder.traps).toBe(0);
});

test('continues with ever quieter sound when a packet contains no data', async () => {
  const packets = await clientPackets((await speechAt(0.5)).subarray(0, 48_000));
  const decoder = await useDecoder(48_000);
  for (const packet of packets) decoder.decode(packet);
  const toc = (packets[0]?.[0] ?? 0) & 0xfc;
  const peaks = Array.from({ length: 30 }, () =>
    peakOf(decoder.decode(Uint8Array.of(toc)) ?? new Float32Array()),
  );
  expect(Math.max(...peaks)).toBeLessThan(0.5);
  expect(peaks.at(-1)).toBeLessThan(0.01);
});

test('restores a lost packet better from the copy in the next packet than by concealment', async () => {
  const packets = await clientPackets(await speechAt(0.5));
  expect(packets.filter(holdsPrevious).length).toBeGreaterThan(packets.length / 3);
  const [whole, copied, madeUp] = [
    await useDecoder(48_000),
    await useDecoder(48_000),
    await useDecoder(48_000),
  ];
  const [asSent, withCopies, without] = [[], [], []] as [Float32Array[], Float32Array[], Float32Array[]];
  for (const [n, packet] of packets.entries()) {
    const next = packets[n + 1];
    const sent = whole.decode(packet);
    const isLost = n % 10 === 9 && next !== undefined && holdsPrevious(next);
    const recovered = isLost ? copied.recover(next, 960) : copied.decode(packet);
    const concealed = isLost ? madeUp.conceal(960) : madeUp.decode(packet);
    if (!isLost || !sent || !recovered || !concealed) continue;
    asSent.push(sent);
    withCopies.push(recovered);
    without.push(concealed);
  }
  const joined = (sounds: Float32Array[]): Float32Array =>
    Float32Array.from(sounds.flatMap((sound) => [...sound]));
  expect(asSent.length).toBeGreaterThan(8);
  const bare = similarity(joined(asSent), joined(without));
  expect(similarity(joined(asSent), joined(withCopies))).toBeGreaterThan(bare + 3);
});

test('starts a new stream with a decoder without history', async () => {
  const packets = await clientPackets((await speechAt(0.5)).subarray(0, 96_000));
  const [used, fresh] = [await useDecoder(24_000), await useDecoder(24_000)];
  for (const packet of packets.slice(20)) used.decode(packet);
  used.reset();
  for (const packet of packets.slice(0, 20)) expect(used.decode(packet)).toEqual(fresh.decode(packet));
});

test('replaces a decoder that traps inside the library, and frees its memory', async () => {
  const noise = new SeededNoise(1);
  const living = new Set<OpusDecoderHandle>();
  const create = async (sampleRate: 48_000 | 24_000 | 16_000 | 12_000 | 8000): Promise<OpusDecoderHandle> => {
    const handle = await createDecoder({ channels: 1, sampleRate });
    living.add(handle);
    const decodeFloat = handle.decodeFloat.bind(handle);
    const free = handle.free.bind(handle);
    handle.decodeFloat = (packet) => {
      if (packet?.[1] === 13) throw new Error('memory access out of bounds');
      return decodeFloat(packet);
    };
    handle.free = () => {
      living.delete(handle);
      free();
    };
    return handle;
  };
  const decoder = await OpusDecoder.open(48_000, { create });
  const good = randomPacket(31, 50, noise).fill(7, 1, 2);
  const bad = good.slice().fill(13, 1, 2);
  for (let round = 0; round < 5; round++) {
    expect(decoder.decode(bad)).toBeUndefined();
    expect(decoder.decode(good)).toHaveLength(960);
    await expect.poll(() => living.size).toBe(2);
  }
  expect(decoder.traps).toBe(5);
  decoder[Symbol.dispose]();
  decoder[Symbol.dispose]();
  expect(living.size).toBe(0);
  expect(decoder.decode(good)).toBeUndefined();
});

test('gives up a stream that makes the library trap again and again', async () => {
  const create: Exclude<Parameters<typeof OpusDecoder.open>[1], undefined>['create'] = async (sampleRate) => {
    const handle = await createDecoder({ channels: 1, sampleRate: sampleRate });
    handle.decodeFloat = () => {
      throw new Error('unreachable');
    };
    return handle;
  };
  const decoder = await useDecoder(16_000, { create });
  for (let round = 0; round < 40; round++) {
    expect(decoder.decode(SILENCE_PACKET)).toBeUndefined();
    await Promise.resolve();
  }
  expect(decoder.traps).toBeLessThan(20);
});

test('encodes each frame to one low-delay packet of 20 ms with 2.5 ms look-ahead', async () => {
  using encoder = await OpusSpeechEncoder.open();
  expect(encoder.lookaheadMs).toBe(2.5);
  const speech = await speechAt(0.5);
  const decoder = await useDecoder(48_000);
  const output = new Float32Array(speech.length);
  let bytes = 0;
  for (let at = 0; at + 960 <= speech.length; at += 960) {
    const packet = encoder.encode(speech.subarray(at, at + 960));
    expect([packetMs(packet), packetMode(packet)]).toEqual([20, 'celt']);
    output.set(decoder.decode(packet) ?? [], at);
    bytes += packet.length;
  }
  expect((bytes * 8 * 48_000) / speech.length).toBeLessThan(70_000);
  expect(similarity(speech.subarray(0, -960), output.subarray(120, -840))).toBeGreaterThan(18);
});
