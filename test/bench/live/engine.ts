import sharp from 'sharp';
import { CpuLiveSwap } from '../../../src/media-server/engine/live/cpu-live-swap.ts';
import { asJpeg, clipFrames } from '../../media-server/engine/clip-frames.ts';
import { measureProcessTree } from '../process-tree.ts';
import { quantile } from '../quantile.ts';

/** Times in milliseconds per picture of 640 x 360 pixels. */
export interface LiveEngineBench {
  readonly frames: number;
  /**
   * The time from requesting a stream until it is open: `openMs` includes the start of a process; `reopenMs` does not.
   */
  readonly openMs: number;
  readonly reopenMs: number;
  /** The time per picture for consecutive pictures, from JPEG to JPEG. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly framesPerSecond: number;
  /** The time that sharp alone takes to decode and encode the same pictures. The engine and sharp take turns. */
  readonly baselineP50Ms: number;
  readonly baselineP95Ms: number;
  /**
   * Processor time per picture, which does not depend on other load: the mean for all processes, the baseline's mean,
   * and the main thread's median.
   */
  readonly processorMs: number;
  readonly baselineProcessorMs: number;
  readonly mainThreadMs: number;
}

const WARM_UP = 30;

/** Measures a warm live stream of a talking head, comparing each picture with a bare decode and encode of it. */
export async function benchLiveEngine(frames: number = 150): Promise<LiveEngineBench> {
  const clip = await clipFrames('talking-man-640x360.mp4', frames);
  const camera = await Promise.all(clip.map(({ pixels }) => asJpeg(pixels)));
  await using engine = new CpuLiveSwap({ places: 1 });
  const open = { face: { id: 'elderly-man' } } as const;
  const openedAt = performance.now();
  await (await engine.open(open))[Symbol.asyncDispose]();
  const openMs = performance.now() - openedAt;
  const reopenedAt = performance.now();
  await using stream = await engine.open(open);
  const reopenMs = performance.now() - reopenedAt;
  for (const jpeg of camera.slice(0, WARM_UP)) {
    await stream.swap(jpeg);
    await decodeAndEncode(jpeg);
  }
  const swaps: Cost[] = [];
  const baselines: Cost[] = [];
  for (const jpeg of camera) {
    swaps.push(await cost(() => stream.swap(jpeg)));
    baselines.push(await cost(() => decodeAndEncode(jpeg)));
  }
  const at = (costs: readonly Cost[], what: keyof Cost, share: number): number =>
    quantile(
      costs.map((one) => one[what]),
      share,
    );
  return {
    frames: camera.length,
    openMs,
    reopenMs,
    p50Ms: at(swaps, 'ms', 0.5),
    p95Ms: at(swaps, 'ms', 0.95),
    framesPerSecond: 1000 / at(swaps, 'ms', 0.5),
    baselineP50Ms: at(baselines, 'ms', 0.5),
    baselineP95Ms: at(baselines, 'ms', 0.95),
    processorMs: mean(swaps.map(({ processorMs }) => processorMs)),
    baselineProcessorMs: mean(baselines.map(({ processorMs }) => processorMs)),
    mainThreadMs: at(swaps, 'mainThreadMs', 0.5),
  };
}

interface Cost {
  readonly ms: number;
  readonly processorMs: number;
  readonly mainThreadMs: number;
}

async function cost(work: () => Promise<unknown>): Promise<Cost> {
  const [all, main, startedAt] = [measureProcessTree(), process.threadCpuUsage(), performance.now()];
  await work();
  const ms = performance.now() - startedAt;
  return {
    ms,
    processorMs: measureProcessTree().processorMs - all.processorMs,
    mainThreadMs: totalMs(process.threadCpuUsage(main)),
  };
}

async function decodeAndEncode(jpeg: Uint8Array): Promise<void> {
  const { data, info } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  await sharp(data, { raw: { width, height, channels } }).jpeg({ quality: 80 }).toBuffer();
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function totalMs({ user, system }: { user: number; system: number }): number {
  return (user + system) / 1000;
}
