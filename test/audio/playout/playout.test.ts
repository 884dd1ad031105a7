import { expect, test } from 'vitest';
import { Playout } from '../../../src/audio/playout/playout.ts';
import { SeededNoise } from '../../../src/audio/seeded-noise.ts';
import { median, pitchContour } from '../analysis.ts';
import { speechAt } from '../use-opus.ts';

const FRAME = 960;

interface Chunk {
  readonly atMs: number;
  readonly samples: Float32Array;
}

interface Played {
  readonly sound: Float32Array;
  /** How long each played frame had waited, in milliseconds. */
  readonly waitedMs: readonly number[];
  readonly playout: Playout;
}

/**
 * Plays chunks that arrive at the given times. Frames are pulled every 20 ms, starting when the first frame is due, as
 * in a voice room.
 */
function play(
  chunks: readonly Chunk[],
  {
    playout = new Playout(),
    endMs = 0,
    onFrame = (_frame: Float32Array, _nowMs: number): void => undefined,
  } = {},
): Played {
  const last = Math.max(endMs, (chunks.at(-1)?.atMs ?? 0) + 1000);
  const frame = new Float32Array(FRAME);
  const waitedMs: number[] = [];
  const frames: Float32Array[] = [];
  let next = 0;
  let tickMs = Infinity;
  while (Math.min(tickMs, chunks[next]?.atMs ?? Infinity) < last) {
    const chunk = chunks[next];
    if (chunk && chunk.atMs <= tickMs) {
      playout.push(chunk.samples, chunk.samples.length, chunk.atMs);
      next++;
      if (tickMs === Infinity) tickMs = playout.dueMs ?? Infinity;
      continue;
    }
    if (playout.pull(frame, tickMs)) waitedMs.push(playout.waitedMs);
    onFrame(frame, tickMs);
    if (chunks.length < 5000) frames.push(frame.slice());
    tickMs += 20;
  }
  return { sound: joined(frames), waitedMs, playout };
}

function joined(frames: readonly Float32Array[]): Float32Array {
  const sound = new Float32Array(frames.length * FRAME);
  frames.forEach((frame, n) => sound.set(frame, n * FRAME));
  return sound;
}

/** Cuts a sound into consecutive chunks of `ms` milliseconds. Chunk `n` arrives `lateMs(n)` milliseconds late. */
function arriving(sound: Float32Array, ms: number, lateMs: (n: number) => number): Chunk[] {
  const size = ms * 48;
  let before = 0;
  return Array.from({ length: Math.floor(sound.length / size) }, (_, n) => {
    before = Math.max(before, n * ms + lateMs(n));
    return { atMs: before, samples: sound.subarray(n * size, (n + 1) * size) };
  });
}

function tone(seconds: number): Float32Array {
  return Float32Array.from(
    { length: seconds * 48_000 },
    (_, n) => 0.4 * Math.sin((2 * Math.PI * 220 * n) / 48_000),
  );
}

/** Returns the largest step between neighbouring samples. */
function largestStep(sound: Float32Array): number {
  return sound.reduce((most, x, n) => Math.max(most, Math.abs(x - (sound[n - 1] ?? 0))), 0);
}

test('plays speech that arrives in time unchanged, 20 ms after its arrival', () => {
  const sound = tone(3);
  const { sound: played, waitedMs, playout } = play(arriving(sound, 20, () => 0));
  expect(new Set(waitedMs)).toEqual(new Set([20]));
  expect(played.subarray(120, sound.length - 120)).toEqual(sound.subarray(120, sound.length - 120));
  expect(playout.counts).toEqual({ underruns: 0, leftOutMs: 0 });
});

test.each([5, 10, 25, 60, 100, 500])('plays pieces of %i ms without gaps', (ms) => {
  const sound = tone(5);
  const { sound: played, playout } = play(arriving(sound, ms, () => 0));
  expect(playout.counts.underruns).toBeLessThanOrEqual(ms === 25 ? 1 : 0);
  expect(largestStep(played)).toBeLessThan(0.02);
});

test('fades speech out when it runs out and in when it continues, without a click', () => {
  const chunks = arriving(tone(4), 20, (n) => (n % 50 === 49 ? 90 : 0));
  const { sound, playout } = play(chunks);
  expect(playout.counts.underruns).toBeGreaterThan(0);
  expect(largestStep(sound)).toBeLessThan(0.03);
});

test('keeps the delay bounded, without drift, for an hour in which one chunk in twenty is late', async () => {
  const speech = await speechAt(0.5);
  const noise = new SeededNoise(4);
  const size = FRAME;
  const pieces = Math.floor(speech.length / size);
  let before = 0;
  const chunks = Array.from({ length: 180_000 }, (_, n) => {
    before = Math.max(before, n * 20 + (noise.next() < 0.05 ? noise.next() * 60 : noise.next() * 3));
    return { atMs: before, samples: speech.subarray((n % pieces) * size, ((n % pieces) + 1) * size) };
  });
  const { waitedMs, playout } = play(chunks);
  const minutes = Array.from({ length: 60 }, (_, minute) => {
    const sorted = waitedMs.slice(minute * 3000, (minute + 1) * 3000).sort((a, b) => a - b);
    return sorted[1500] ?? 0;
  });
  expect(waitedMs.reduce((most, ms) => Math.max(most, ms), 0)).toBeLessThanOrEqual(200);
  expect(Math.max(...minutes)).toBeLessThanOrEqual(80);
  expect(Math.abs((minutes.at(-1) ?? 0) - (minutes[1] ?? 0))).toBeLessThanOrEqual(20);
  expect(playout.counts.underruns / 180_000).toBeLessThan(0.002);
});

test('shortens pauses and single periods of speech that waits far too long, and keeps its pitch', () => {
  const sound = tone(8);
  const late = arriving(sound, 20, (n) => (n === 40 ? 180 : 0));
  const { sound: played, waitedMs, playout } = play(late);
  expect(waitedMs[60]).toBeGreaterThan(150);
  expect(waitedMs.at(-20)).toBeLessThan(60);
  expect(playout.counts.leftOutMs).toBeGreaterThan(100);
  expect(largestStep(played)).toBeLessThan(0.03);
  expect(median(pitchContour(played.subarray(48_000), 48_000))).toBeCloseTo(220, 0);
});

test('lets at most 200 ms wait and drops the oldest speech', () => {
  const late = arriving(tone(4), 20, (n) => (n === 40 ? 900 : 0));
  const { waitedMs, playout } = play(late);
  expect(waitedMs[60]).toBeLessThan(260);
  expect(playout.counts.leftOutMs).toBeGreaterThan(600);
});

test('plays speech that was kept until a line opened in full, and faster until it has caught up', async () => {
  const speech = await speechAt(0.5);
  const playout = new Playout();
  playout.allow(1200);
  // The service has a queue of speech, and sends it at four times real-time speed.
  const chunks = arriving(speech, 20, (n) => Math.max(0, 1200 - n * 15));
  const { sound, waitedMs } = play(chunks, { playout });
  expect(waitedMs[30]).toBeGreaterThan(200);
  expect(waitedMs.at(-5)).toBeLessThan(100);
  expect(playout.counts.underruns).toBe(0);
  const [said, heard] = [median(pitchContour(speech, 48_000)), median(pitchContour(sound, 48_000))];
  expect(Math.abs(12 * Math.log2(heard / said))).toBeLessThan(0.5);
});

test('uses bounded memory for a flood of speech', () => {
  const playout = new Playout();
  const frame = new Float32Array(FRAME);
  const flood = new Float32Array(48_000).fill(0.1);
  for (let n = 0; n < 200; n++) playout.push(flood, flood.length, n);
  let frames = 0;
  for (let nowMs = 1000; playout.isActive && frames < 1000; nowMs += 20, frames++) playout.pull(frame, nowMs);
  expect(frames).toBeLessThan(200);
});

test('drops nothing when both sides stand still, and catches up when only the player does', () => {
  for (const isOursAlone of [false, true]) {
    const playout = new Playout();
    const frame = new Float32Array(FRAME);
    const sound = tone(5);
    let next = 0;
    const come = (nowMs: number): void => {
      playout.push(sound.subarray(next * FRAME, (next + 1) * FRAME), FRAME, nowMs);
      next++;
    };
    for (let nowMs = 0; nowMs < 4000; nowMs += 20) {
      const isStanding = nowMs >= 1000 && nowMs < 1400;
      if (!isStanding || isOursAlone) come(nowMs);
      if (isStanding) continue;
      if (nowMs === 1400) playout.skipped();
      playout.pull(frame, nowMs + 15);
    }
    const { leftOutMs, underruns } = playout.counts;
    expect(underruns).toBeLessThanOrEqual(isOursAlone ? 0 : 1);
    if (isOursAlone) expect(leftOutMs).toBeGreaterThan(300);
    else expect(leftOutMs).toBe(0);
    if (isOursAlone) expect(playout.waitedMs).toBeLessThan(100);
  }
});
