import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import sharp, { type OutputInfo } from 'sharp';
import { createCpuEngines } from '../../src/media-server/engine/cpu/cpu-engines.ts';
import { measureProcessTree } from './process-tree.ts';
import { quantile } from './quantile.ts';

/** Times in milliseconds over all runs. */
export interface PhotoSwapBench {
  readonly runs: number;
  /** The time until a new engine is ready, and the time of its first swap. */
  readonly startMs: number;
  readonly firstMs: number;
  /** A warm swap of two 768 x 768 JPEGs: decode, detect, mesh, swap, encode, store. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** The time that sharp alone takes to decode both pictures and encode one. The engine and sharp take turns. */
  readonly baselineP50Ms: number;
  readonly baselineP95Ms: number;
  /**
   * Mean processor time of one swap in all processes, and the main thread's share. Neither depends on other load on the
   * machine.
   */
  readonly processorMs: number;
  readonly mainThreadMs: number;
  /**
   * The longest delay of the main thread's event loop during the measurement, whether caused by the project or by other
   * load.
   */
  readonly loopDelayMaxMs: number;
  /** The memory of all processes. */
  readonly residentMegabytes: number;
}

const BASE = fileURLToPath(new URL('../samples/portrait-man-elderly.jpg', import.meta.url));
const PERSON = fileURLToPath(new URL('../samples/portrait-woman-brown-hair.jpg', import.meta.url));
const WARM_UP = 5;

/** Measures warm photo swaps on one worker, each compared with a bare decode and encode of the same pictures. */
export async function benchPhotoSwap(runs: number = 40): Promise<PhotoSwapBench> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const outputPath = join(folder, 'out.jpg');
  const { signal } = new AbortController();
  try {
    const startedAt = performance.now();
    await using engines = await createCpuEngines({ workers: 1 });
    const { photoSwap } = engines;
    if (!photoSwap) throw new Error('Cannot measure without an engine');
    const startMs = performance.now() - startedAt;
    const swap = (): Promise<unknown> =>
      photoSwap.swapPhoto({ imagePath: BASE, facePath: PERSON, outputPath }, signal);
    const firstMs = await timed(swap);
    for (let run = 0; run < WARM_UP; run++) await swap();
    const delay = monitorEventLoopDelay({ resolution: 1 });
    const swaps: number[] = [];
    const baselines: number[] = [];
    let processorMs = 0;
    const mainThread: number[] = [];
    for (let run = 0; run < runs; run++) {
      baselines.push(await timed(() => decodeAndEncode(outputPath)));
      delay.enable();
      const [all, main] = [measureProcessTree(), process.threadCpuUsage()];
      swaps.push(await timed(swap));
      processorMs += measureProcessTree().processorMs - all.processorMs;
      mainThread.push(totalMs(process.threadCpuUsage(main)));
      delay.disable();
    }
    return {
      runs,
      startMs,
      firstMs,
      p50Ms: quantile(swaps, 0.5),
      p95Ms: quantile(swaps, 0.95),
      baselineP50Ms: quantile(baselines, 0.5),
      baselineP95Ms: quantile(baselines, 0.95),
      processorMs: processorMs / runs,
      mainThreadMs: quantile(mainThread, 0.5),
      loopDelayMaxMs: delay.max / 1e6,
      residentMegabytes: measureProcessTree().residentMegabytes,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function decodeAndEncode(outputPath: string): Promise<void> {
  const [base] = await Promise.all([BASE, PERSON].map((path) => decode(path)));
  if (!base) throw new TypeError('Cannot measure without pictures');
  const { width, height, channels } = base.info;
  await sharp(base.data, { raw: { width, height, channels } }).jpeg({ quality: 92 }).toFile(outputPath);
}

function decode(path: string): Promise<{ data: Buffer; info: OutputInfo }> {
  return sharp(path).raw().toBuffer({ resolveWithObject: true });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function totalMs({ user, system }: { user: number; system: number }): number {
  return (user + system) / 1000;
}
