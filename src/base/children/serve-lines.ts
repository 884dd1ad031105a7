import { createInterface } from 'node:readline';
import { systemErrorCode } from '../errors.ts';
import type { ChildUse, TaskMessage } from './task-message.ts';

/** Handles one task. Both the task and the answer are JSON values. */
type LineHandler = (task: unknown) => Promise<unknown>;

/** Runs the main loop of a `TaskPool` child: reads one task per line from its input, and writes one answer per line. */
export function serveLines(handle: LineHandler): void {
  // Only this user may read the files that the child writes.
  process.umask(0o077);
  // A terminal interrupts all its processes at once. The child ignores the signals, because its parent decides what
  // happens to the task.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => void answer(handle, line).then(say));
  // The parent is gone, so no answer is needed.
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

/**
 * Returns the code of a system error, or null for other errors. System errors are not the task's fault. Node.js also
 * gives codes to errors about wrong arguments to its own functions; those do not count.
 */
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
