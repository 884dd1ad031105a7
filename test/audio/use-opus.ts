import { readFile } from 'node:fs/promises';
import { Application, Signal, createEncoder } from 'libopus-wasm';
import { toFloat } from '../../src/audio/pcm.ts';
import { readWav } from '../../src/audio/wav.ts';
import type { SeededNoise } from '../../src/audio/seeded-noise.ts';

/** Returns the sample speech at 48 kHz, scaled to a peak level of `peak`. */
export async function speechAt(peak: number): Promise<Float32Array> {
  const { pcm } = readWav(await readFile(new URL('../samples/speech-man-48k.wav', import.meta.url)));
  const samples = new Float32Array(pcm.length);
  toFloat(pcm, samples);
  const loudest = samples.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  return samples.map((x) => (x * peak) / loudest);
}

/**
 * Encodes packets of 20 ms as a Discord client does: in hybrid mode, each with a copy of the previous packet.
 */
export async function clientPackets(samples: Float32Array, channels: 1 | 2 = 1): Promise<Uint8Array[]> {
  using encoder = await createEncoder({
    channels,
    application: Application.Voip,
    signal: Signal.Voice,
    bitrate: 40_000,
    fec: true,
    packetLossPercent: 15,
  });
  return Array.from({ length: Math.floor(samples.length / 960) }, (_, n) => {
    const frame = samples.subarray(n * 960, (n + 1) * 960);
    return encoder.encodeFloat(channels === 1 ? frame : Float32Array.from([...frame].flatMap((x) => [x, x])));
  });
}

/** Returns a packet with a single mono frame: a TOC byte for this configuration, followed by random bytes. */
export function randomPacket(config: number, size: number, noise: SeededNoise): Uint8Array {
  const packet = Uint8Array.from({ length: size }, () => Math.floor(noise.next() * 256));
  packet[0] = config << 3;
  return packet;
}

/** Returns the ratio of a signal to its difference from another signal, in dB, over the given samples. */
export function similarity(signal: Float32Array, other: Float32Array): number {
  let [all, wrong] = [1e-12, 1e-12];
  for (const [n, x] of signal.entries()) {
    all += x * x;
    wrong += (x - (other[n] ?? 0)) ** 2;
  }
  return 10 * Math.log10(all / wrong);
}
