import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export const GAP_MS_MAX = 200;
export const GROWTH_BYTES_MAX: number = 64 * 1024 * 1024;
/** Measured in processor time, so that other load on the machine does not matter. */
const WORK_MS_MAX = 10_000;
const CONFIRMATIONS = 3;
const KIB = 1024;

/** The cost of one run of an input. */
export interface Cost {
  /** Wall time, which is an upper bound for the time that the event loop was blocked. */
  readonly ms: number;
  readonly workMs: number;
  /** The growth of memory during the run, at its peak. */
  readonly growthBytes: number;
}

/** Runs and measures. The peak of memory is that of the operating system, or 0 if it does not report one. */
export async function measured<T>(
  run: () => Promise<T>,
): Promise<{ readonly value: T; readonly cost: Cost }> {
  const before = beginPeak();
  const startMs = performance.now();
  const startWork = process.cpuUsage();
  const value = await run();
  const { user, system } = process.cpuUsage(startWork);
  const cost = {
    ms: performance.now() - startMs,
    workMs: (user + system) / 1_000,
    growthBytes: Math.max(0, peakBytes() - before),
  };
  return { value, cost };
}

/**
 * Returns what is wrong with the cost of a run if repeats confirm it, because a first run compiles code and
 * another program may use the processor; otherwise `undefined`.
 */
export async function costProblem(
  { ms, workMs, growthBytes }: Cost,
  again: () => Promise<unknown>,
): Promise<string | undefined> {
  if (workMs >= WORK_MS_MAX) return `it takes more than ${WORK_MS_MAX / 1_000} s`;
  if (ms >= GAP_MS_MAX && (await leastOf(() => gapMs(again))) >= GAP_MS_MAX) {
    return `the event loop stands still for more than ${GAP_MS_MAX} ms`;
  }
  if (growthBytes < GROWTH_BYTES_MAX) return undefined;
  const growth = async (): Promise<number> => {
    globalThis.gc?.();
    return (await measured(again)).cost.growthBytes;
  };
  return (await leastOf(growth)) >= GROWTH_BYTES_MAX ? 'memory grows by more than 64 MB' : undefined;
}

async function leastOf(measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < CONFIRMATIONS; time += 1) least = Math.min(least, await measure());
  return least;
}

/**
 * Returns the longest time that this thread computed between two turns of the event loop, independent of
 * other load.
 */
async function gapMs(run: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = threadMs();
  const look = (): void => {
    const now = threadMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, 5);
  await run();
  await delay(10);
  look();
  clearInterval(timer);
  return longest;
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Resets the system's record of peak memory. Returns the memory in use. */
function beginPeak(): number {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // The system records no peak, so growth is not measured.
  }
  return peakBytes();
}

function peakBytes(): number {
  try {
    const [, kib = '0'] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'latin1')) ?? [];
    return Number(kib) * KIB;
  } catch {
    return 0;
  }
}
