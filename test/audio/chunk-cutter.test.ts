import { expect, test } from 'vitest';
import { ChunkCutter } from '../../src/audio/chunk-cutter.ts';
import { SeededNoise } from '../../src/audio/seeded-noise.ts';

test('cuts pieces of any size into chunks of one size and keeps every sample in order', () => {
  const chunks: Int16Array[] = [];
  const cutter = new ChunkCutter(16_000, 700, (chunk) => chunks.push(chunk));
  const noise = new SeededNoise(1);
  const sound = Float32Array.from({ length: 10_000 }, (_, n) => Math.sin(n / 10) / 2);
  for (let at = 0; at < sound.length;) {
    const piece = sound.subarray(at, at + Math.floor(noise.next() * 900));
    cutter.push(piece);
    at += piece.length;
  }
  expect(new Set(chunks.map(({ length }) => length))).toEqual(new Set([700]));
  expect([chunks.length, cutter.waiting]).toEqual([14, 200]);
  const samples = chunks.flatMap((chunk) => [...chunk]);
  expect(samples).toEqual([...sound.subarray(0, 9800)].map((x) => Math.round(x * 32_768) + 0));
});

test('fills an open chunk with silence after a fade, and makes no chunk if none is open', () => {
  const chunks: Int16Array[] = [];
  const cutter = new ChunkCutter(8000, 200, (chunk) => chunks.push(chunk));
  cutter.fill();
  expect(chunks).toHaveLength(0);
  cutter.push(new Float32Array(100).fill(0.5));
  cutter.fill();
  cutter.fill();
  expect(chunks).toHaveLength(1);
  const filled = [...(chunks[0] ?? [])];
  const steps = filled.slice(1).map((x, n) => Math.abs(x - (filled[n] ?? 0)));
  expect(Math.max(...steps)).toBeLessThan(500);
  expect(filled.slice(150)).toEqual(Array.from({ length: 50 }, () => 0));
});

test('fades to silence after a full chunk, too', () => {
  const chunks: Int16Array[] = [];
  const cutter = new ChunkCutter(8000, 100, (chunk) => chunks.push(chunk));
  cutter.push(new Float32Array(100).fill(0.5));
  expect(cutter.fill()).toBe(0);
  cutter.silence(100);
  const samples = chunks.flatMap((chunk) => [...chunk]);
  const steps = samples.slice(1).map((x, n) => Math.abs(x - (samples[n] ?? 0)));
  expect([samples.length, Math.max(...steps) < 500, samples.at(-1)]).toEqual([200, true, 0]);
});
