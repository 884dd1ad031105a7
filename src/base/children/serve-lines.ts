import { createInterface } from 'node:readline';
import { systemErrorCode } from '../errors.ts';
import type { ChildUse, TaskMessage } from './task-message.ts';

/** Does one task, which is JSON, and returns an answer that is JSON. */
export type LineHandler = (task: unknown) => Promise<unknown>;

/** The life of a child of a `TaskPool`: reads one task a line from its input, and writes one answer a line. */
export function serveLines(handle: LineHandler): void {
  // What it writes is for this user only.
  process.umask(0o077);
  // A terminal interrupts all processes at once; what becomes of the task is the parent's matter.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => void answer(handle, line).then(say));
  // Nobody is left who wants an answer.
  lines.on('close', () => process.exit(0));
  say({ kind: 'ready' });
}

async function answer(handle: LineHandler, line: string): Promise<TaskMessage> {
  try {
    return { kind: 'done', result: await handle(JSON.parse(line)), use: useNow() };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'failed', message, systemCode: systemCodeOf(error), use: useNow() };
  }
}

/** Node.js gives codes to mistakes in its own use as well; only those of the system say nothing about the task. */
function systemCodeOf(error: unknown): string | null {
  const isOfSystem = error instanceof Error && 'syscall' in error;
  return (isOfSystem ? systemErrorCode(error) : undefined) ?? null;
}

function useNow(): ChildUse {
  const { user, system } = process.cpuUsage();
  return { residentBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / 1e6 };
}

function say(message: TaskMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
