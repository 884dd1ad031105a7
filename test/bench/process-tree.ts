import { readFileSync, readdirSync } from 'node:fs';

/** The processor time and memory of a process and all its descendants. */
export interface TreeFigures {
  /** Processor time of all threads of the living processes, in steps of 10 ms. */
  readonly processorMs: number;
  readonly residentMegabytes: number;
  /** The sum of the processes' individual peaks, which is never less than the peak of their sum. */
  readonly residentMegabytesMax: number;
}

const TICK_MS = 10;
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;
const PARENT = 1;

/**
 * Reads the figures of the process `root` and its descendants from Linux's process table. On other systems, measures
 * only this process.
 */
export function measureProcessTree(root: number = process.pid): TreeFigures {
  const table = readTable();
  if (table.length === 0) return ownFigures();
  const tree = new Set([root]);
  for (let before = 0; before < tree.size;) {
    before = tree.size;
    for (const { pid, parent } of table) if (tree.has(parent)) tree.add(pid);
  }
  const members = table.filter(({ pid }) => tree.has(pid));
  const sum = (of: (row: Row) => number): number => members.reduce((total, row) => total + of(row), 0);
  return {
    processorMs: sum((row) => row.processorMs),
    residentMegabytes: sum((row) => row.residentMegabytes),
    residentMegabytesMax: sum((row) => row.residentMegabytesMax),
  };
}

/** Measures one process. Returns `undefined` if the process has ended or the system has no process table. */
export function processFigures(pid: number): TreeFigures | undefined {
  return readRow(pid);
}

interface Row extends TreeFigures {
  readonly pid: number;
  readonly parent: number;
}

function readTable(): Row[] {
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.flatMap((pid) => readRow(Number(pid)) ?? []);
  } catch {
    return [];
  }
}

/** Returns `undefined` for a process that has ended. */
function readRow(pid: number): Row | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const megabytes = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024;
    return {
      pid,
      parent: fields[PARENT] ?? 0,
      processorMs: ((fields[USER_TICKS] ?? 0) + (fields[SYSTEM_TICKS] ?? 0)) * TICK_MS,
      residentMegabytes: megabytes('VmRSS'),
      residentMegabytesMax: megabytes('VmHWM'),
    };
  } catch {
    return undefined;
  }
}

function ownFigures(): TreeFigures {
  const { user, system } = process.cpuUsage();
  const { maxRSS } = process.resourceUsage();
  return {
    processorMs: (user + system) / 1000,
    residentMegabytes: process.memoryUsage().rss / 2 ** 20,
    residentMegabytesMax: maxRSS / 1024,
  };
}
