import { readdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { measureProcessTree, processFigures } from '../../bench/process-tree.ts';

/** The peak figures of a process while it was watched. Zero on systems without `/proc`. */
export interface ProcessMost {
  readonly residentMegabytesMax: number;
  /** Including all processes that it started. */
  readonly treeMegabytesMax: number;
  /** Open files and connections. */
  readonly descriptorsMax: number;
}

const LOOK_MS = 200;

/** Watches a process until the signal aborts. */
export async function watchProcess(pid: number, signal: AbortSignal): Promise<ProcessMost> {
  let [own, tree, descriptors] = [0, 0, 0];
  while (!signal.aborted) {
    own = Math.max(own, processFigures(pid)?.residentMegabytesMax ?? 0);
    tree = Math.max(tree, measureProcessTree(pid).residentMegabytes);
    descriptors = Math.max(descriptors, countDescriptors(pid));
    await wait(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
  return {
    residentMegabytesMax: Math.round(own),
    treeMegabytesMax: Math.round(tree),
    descriptorsMax: descriptors,
  };
}

function countDescriptors(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}
