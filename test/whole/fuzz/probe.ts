import { readFileSync, writeFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';

export const GAP_MS_MAX = 200;
export const GROWTH_BYTES_MAX: number = 64 * 1024 * 1024;
/** Measured in processor time, so that other load on the machine does not matter. */
const WORK_MS_MAX = 10_000;
const CONFIRMATIONS = 3;
const LOOK_MS = 5;
const KIB = 1024;

/** The cost of one run of an input. */
export interface Cost {
  /**
   * The longest time for which this thread computed between two turns of the event loop. Time during which another
   * program has the processor does not count.
   */
  readonly gapMs: number;
  readonly workMs: number;
  /** The peak growth of memory during the run. */
  readonly growthBytes: number;
}

/**
 * Measures the cost of `run`, including work that it leaves for the next turn of the event loop. If the operating
 * system does not report the peak memory, the growth is 0.
 */
export async function measured<T>(
  run: () => Promise<T>,
): Promise<{ readonly value: T; readonly cost: Cost }> {
  const before = beginPeak();
  const startWork = process.cpuUsage();
  using gaps = new Gaps();
  const value = await run();
  await turn();
  const { user, system } = process.cpuUsage(startWork);
  const cost = {
    gapMs: gaps.longestMs(),
    workMs: (user + system) / 1_000,
    growthBytes: Math.max(0, peakBytes() - before),
  };
  return { value, cost };
}

/**
 * Returns what is wrong with the cost of a run, or undefined. A cost that is too high counts only if it is too high in
 * each of three further runs, because a first run compiles code and a busy machine makes single runs expensive.
 */
export async function costProblem(
  { gapMs, workMs, growthBytes }: Cost,
  again: () => Promise<unknown>,
): Promise<string | undefined> {
  if (workMs >= WORK_MS_MAX) return `it takes more than ${WORK_MS_MAX / 1_000} s`;
  if (gapMs >= GAP_MS_MAX && (await isEachTime(again, (cost) => cost.gapMs >= GAP_MS_MAX))) {
    return `the event loop stands still for more than ${GAP_MS_MAX} ms`;
  }
  if (growthBytes < GROWTH_BYTES_MAX) return undefined;
  const grows = await isEachTime(again, (cost) => cost.growthBytes >= GROWTH_BYTES_MAX);
  return grows ? 'memory grows by more than 64 MB' : undefined;
}

async function isEachTime(
  again: () => Promise<unknown>,
  isTooHigh: (cost: Cost) => boolean,
): Promise<boolean> {
  for (let time = 0; time < CONFIRMATIONS; time += 1) {
    globalThis.gc?.();
    const { cost } = await measured(again);
    if (!isTooHigh(cost)) return false;
  }
  return true;
}

/** Measures, every few milliseconds, how long this thread has computed since the previous measurement. */
class Gaps implements Disposable {
  readonly #timer = setInterval(() => this.#look(), LOOK_MS);
  #last = threadMs();
  #longest = 0;

  longestMs(): number {
    this.#look();
    return this.#longest;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = threadMs();
    this.#longest = Math.max(this.#longest, now - this.#last);
    this.#last = now;
  }
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Resets the system's record of peak memory. Returns the memory in use, in bytes. */
function beginPeak(): number {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // This system cannot reset the peak, so growth is not measured properly.
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
