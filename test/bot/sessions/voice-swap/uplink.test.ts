import { expect, onTestFinished, test } from 'vitest';
import { SILENCE_PACKET } from '../../../../src/audio/opus-packet.ts';
import { SeededNoise } from '../../../../src/audio/seeded-noise.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import type { OrderedPacket } from '../../../../src/bot/sessions/voice-swap/packet-order.ts';
import { Uplink } from '../../../../src/bot/sessions/voice-swap/uplink.ts';
import { EchoLine, type EchoOptions, encode, readSpeech, sine } from './use-room.ts';

interface Used {
  readonly clock: FakeClock;
  readonly line: EchoLine;
  readonly uplink: Uplink;
  /** The numbers of samples and chunks; the samples themselves are not kept. */
  readonly sums: { samples: number; chunks: number };
  readonly say: (opus: Uint8Array) => void;
}

async function useUplink(options: EchoOptions = {}): Promise<Used> {
  const clock = new FakeClock();
  const line = new EchoLine(clock, options);
  const sums = { samples: 0, chunks: 0 };
  line.send = (samples) => {
    if (line.isStalled) return false;
    sums.samples += samples.length;
    sums.chunks++;
    if (sums.chunks < 1000) line.sent.push(samples);
    return true;
  };
  const uplink = await Uplink.open(line, clock);
  onTestFinished(() => uplink[Symbol.dispose]());
  return { clock, line, uplink, sums, say: (opus) => void uplink.take(packet(opus), clock.monotonic()) };
}

function packet(opus: Uint8Array): OrderedPacket {
  return { kind: 'packet', packet: { opus, sequence: 0, timestamp: 0, ssrc: 1 } };
}

test.each([
  [24_000, 700],
  [44_100, 882],
])(
  'exactly as many samples as ten minutes have at %i Hz are sent, with losses',
  async (sampleRateHz, chunkFrames) => {
    const { uplink, sums, say } = await useUplink({ sampleRateHz, chunkFrames });
    const said = await encode(await readSpeech());
    const noise = new SeededNoise(2);
    const packets = 30_000;
    for (let n = 0; n < packets; n++) {
      if (noise.next() < 0.05) uplink.take({ kind: 'lost', next: undefined }, 0);
      else say(said[n % said.length] ?? SILENCE_PACKET);
    }
    const meant = packets * 0.02 * sampleRateHz;
    expect(Math.abs(meant - sums.samples)).toBeLessThanOrEqual(chunkFrames);
  },
);

test.each([
  [16_000, 1000],
  [24_000, 1000],
  [32_000, 1000],
  [40_000, 3000],
  [44_100, 1000],
  [48_000, 3000],
])('a tone arrives at %i Hz with hardly any other sound (%i Hz)', async (sampleRateHz, hz) => {
  const { line, say } = await useUplink({ sampleRateHz, chunkFrames: sampleRateHz / 50 });
  for (const opus of await encode(sine(hz, 96_000))) say(opus);
  const sound = Float64Array.from(line.sent.flatMap((chunk) => [...chunk])).subarray(
    sampleRateHz / 4,
    sampleRateHz,
  );
  // Only the codec's noise at 64 kbit/s remains; the resampler's noise is below -75 dB, as its own test shows.
  expect(distortion(sound, (2 * Math.PI * hz) / sampleRateHz)).toBeLessThan(-24);
});

/** Returns the level of everything except the tone, in dB relative to the tone. */
function distortion(sound: Float64Array, step: number): number {
  let [re, im] = [0, 0];
  sound.forEach((x, n) => {
    re += x * Math.cos(step * n);
    im += x * Math.sin(step * n);
  });
  const [a, b] = [(2 * re) / sound.length, (2 * im) / sound.length];
  const rest = sound.reduce(
    (sum, x, n) => sum + (x - a * Math.cos(step * n) - b * Math.sin(step * n)) ** 2,
    0,
  );
  return 10 * Math.log10(rest / sound.length / ((a * a + b * b) / 2));
}

test('80 ms after the last packet the open chunk is filled, then silence follows for some time and ends', async () => {
  const { clock, uplink, sums, say } = await useUplink({ chunkFrames: 4800 });
  for (const opus of await encode(sine(300, 7 * 960))) say(opus);
  expect(sums.chunks).toBe(1);
  const tick = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 20) {
      await clock.advance(20);
      uplink.tick(clock.monotonic());
    }
  };
  await tick(60);
  expect(sums.chunks).toBe(1);
  await tick(40);
  expect(sums.chunks).toBe(2);
  expect(uplink.isOpen).toBe(true);
  await tick(400);
  expect([uplink.isOpen, sums.samples % 4800]).toEqual([false, 0]);
  expect(sums.samples).toBeLessThanOrEqual(6 * 4800);
  const before = sums.samples;
  await tick(1000);
  expect(sums.samples).toBe(before);
});

test('a line that accepts no data for a minute costs what was sent, and no memory', async () => {
  const { line, uplink, sums, say } = await useUplink();
  const said = await encode(sine(300, 48_000));
  line.isStalled = true;
  for (let n = 0; n < 3000; n++) say(said[n % said.length] ?? SILENCE_PACKET);
  expect([sums.chunks, uplink.counts.refused]).toEqual([0, 3000]);
  line.isStalled = false;
  say(said[0] ?? SILENCE_PACKET);
  expect(sums.chunks).toBe(1);
});
