import { expect, test } from 'vitest';
import type { LoggedPacket } from '../../src/sandbox/voice/packet-log.ts';
import { mixSpeech, renderSpeech } from '../../src/sandbox/voice/render-speech.ts';
import { encodeSpeech } from '../../src/sandbox/voice/speech.ts';
import { RATE_HZ, tone } from './use-voice.ts';

const FRAME = 960;

/** Creates a tone as `count` packets that arrive every 20 ms, the first at `atMs`. */
async function packets(count: number, changes: Partial<LoggedPacket> = {}): Promise<LoggedPacket[]> {
  const { atMs = 1000, sequence = 65_530, timestamp = 2 ** 32 - 3 * FRAME, ssrc = 7 } = changes;
  const { frames } = await encodeSpeech(tone(400, count * 20));
  return frames.map((opus, index) => ({
    ssrc,
    sequence: (sequence + index) & 0xffff,
    timestamp: (timestamp + index * FRAME) >>> 0,
    atMs: atMs + 20 * index,
    sizeBytes: opus.byteLength,
    opus,
  }));
}

/** Returns the level of each 20 ms frame, relative to full scale. */
function levels(samples: Int16Array): number[] {
  return Array.from({ length: Math.ceil(samples.length / FRAME) }, (_, index) => {
    const frame = samples.subarray(index * FRAME, (index + 1) * FRAME);
    return Math.sqrt(frame.reduce((sum, value) => sum + value * value, 0) / FRAME) / 32_768;
  });
}

function loud(samples: Int16Array): string {
  return levels(samples)
    .map((level) => (level > 0.1 ? '#' : '.'))
    .join('');
}

test('late, repeated and reordered packets form one stretch of sound', async () => {
  const [first, ...others] = await packets(20);
  if (!first) throw new Error('Cannot continue without packets');
  const jittered = others.map((packet, index) => ({ ...packet, atMs: packet.atMs + ((index * 37) % 60) }));
  const order = jittered.toSorted((a, b) => a.atMs - b.atMs);
  expect(order.map(({ sequence }) => sequence)).not.toEqual(others.map(({ sequence }) => sequence));
  const { samples, startMs, undecodable } = await renderSpeech([first, ...order, ...order.slice(-1)]);

  expect([samples.length, startMs, undecodable]).toEqual([20 * FRAME, 1000, 0]);
  expect(loud(samples)).toBe('#'.repeat(20));
  expect(samples).toEqual((await renderSpeech(await packets(20))).samples);
});

test('a lost packet is concealed, a long loss becomes silence, and the duration stays', async () => {
  const all = await packets(40);
  const some = all.filter((_packet, index) => index !== 5 && (index < 10 || index >= 30));
  const { samples } = await renderSpeech(some);
  expect(samples.length).toBe(40 * FRAME);
  expect(loud(samples).slice(0, 10)).toBe('#'.repeat(10));
  expect(loud(samples).slice(15, 30)).toBe('.'.repeat(15));
  expect(loud(samples).slice(31)).toBe('#'.repeat(9));
});

test('a pause is as long as the timestamps say, or as long as no packet arrived', async () => {
  const first = await packets(5);
  const said = { sequence: 65_535, timestamp: 2 ** 32 - 3 * FRAME + 15 * FRAME };
  const by = { atMs: 1000 + 300 + 17 };
  const kept = await renderSpeech([...first, ...(await packets(5, { ...said, ...by }))]);
  expect(loud(kept.samples)).toBe(`${'#'.repeat(5)}${'.'.repeat(10)}${'#'.repeat(5)}`);

  const standing = { sequence: 65_535, timestamp: 2 * FRAME };
  const waited = await renderSpeech([...first, ...(await packets(5, { ...standing, atMs: 1000 + 300 }))]);
  expect(loud(waited.samples)).toBe(`${'#'.repeat(5)}${'.'.repeat(10)}${'#'.repeat(5)}`);
});

test('another SSRC continues at once, and packets that are not Opus are silent and counted', async () => {
  const [first, second] = [await packets(5), await packets(5, { ssrc: 8, sequence: 3, atMs: 1100 })];
  const broken = second.map((packet, index) => (index === 2 ? { ...packet, opus: null } : packet));
  const bad = { ...(second[4] as LoggedPacket), sequence: 8, opus: Uint8Array.from([0xff]) };
  const { samples, undecodable } = await renderSpeech([...first, ...broken, bad]);
  expect(undecodable).toBe(2);
  expect(samples.length).toBe(11 * FRAME);
  expect(loud(samples).slice(0, 7)).toBe('#######');
  expect(loud(samples)[7]).toBe('.');
});

test('simultaneous speakers are mixed, and never overflow', async () => {
  const one = await renderSpeech(await packets(10));
  const two = await renderSpeech(await packets(10, { atMs: 1100 }), one.startMs);
  const mix = mixSpeech([one, two, two, two]);
  expect(mix.length).toBe(15 * FRAME);
  expect(mix.length / RATE_HZ).toBe(0.3);
  expect(mix.slice(0, 5 * FRAME)).toEqual(one.samples.slice(0, 5 * FRAME));
  expect(Math.max(...mix)).toBe(32_767);
  expect(Math.min(...mix)).toBe(-32_768);
});

test('speech is encoded in small parts, so that calls of the process continue meanwhile', async () => {
  let turns = 0;
  let isDone = false;
  const look = (): void => {
    turns++;
    if (!isDone) setImmediate(look);
  };
  setImmediate(look);
  const { frames } = await encodeSpeech(tone(400, 2_000));
  isDone = true;
  expect(frames).toHaveLength(100);
  expect(turns).toBeGreaterThan(30);
});
