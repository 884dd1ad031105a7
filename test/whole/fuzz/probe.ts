import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export const GAP_MS_MAX = 200;
export const GROWTH_BYTES_MAX: number = 64 * 1024 * 1024;
/** Of processor time, whatever else the machine does meanwhile. */
const WORK_MS_MAX = 10_000;
const CONFIRMATIONS = 3;
const KIB = 1024;

/** What one run of an input took of the process. */
export interface Cost {
  /** Wall time; the event loop cannot have stood still for longer. */
  readonly ms: number;
  readonly workMs: number;
  /** The most memory during the run beyond what there was before it. */
  readonly growthBytes: number;
}

/** Runs and measures. The peak of memory is that of the operating system; 0 where it does not say. */
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
 * What is wrong with the cost of a run, if it is so again each time: a first run compiles code, and another program
 * may have the processor. Undefined when nothing is.
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

/** The longest that this thread computed between two turns of the event loop, whatever else the machine did. */
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

/** From here on the system notes the peak anew; returns what is in use now. */
function beginPeak(): number {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // The system keeps no peak of its own: growth is not measured.
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
