import { systemClock } from '../../../base/clock.ts';
import { RenderError } from '../render-error.ts';
import type { TaskFailure, TaskMessage, WorkerMessage } from './render-protocol.ts';

interface TaskResult {
  readonly result: unknown;
}

/** Executes one task and reports its `progress`. If the signal aborts, it stops early by throwing any error. */
type TaskHandler = (task: unknown, signal: AbortSignal, progress: () => void) => Promise<TaskResult>;

/** The minimum time between two progress reports. */
const PROGRESS_PAUSE_MS = 1_000;

/**
 * Runs a worker's process: loads its handler once, reports that it is ready, then processes one task after another.
 * Errors other than `RenderError` are reported as `processing_failed` with their message.
 */
export async function serveTasks(load: () => Promise<TaskHandler>): Promise<void> {
  // Only the user of this process may read the files that the worker writes.
  process.umask(0o077);
  if (!process.send) throw new TypeError('Cannot serve tasks outside a worker');
  const send = (message: WorkerMessage): void => void process.send?.(message);
  exitWithParent();
  let handle: TaskHandler;
  let cancel = new AbortController();
  try {
    handle = await load();
  } catch (error) {
    return send({ kind: 'unable', message: messageOf(error) });
  }
  const answer = async (task: unknown): Promise<void> => {
    cancel = new AbortController();
    try {
      const progress = atMostEvery(PROGRESS_PAUSE_MS, () => send({ kind: 'progress' }));
      const { result } = await handle(task, cancel.signal, progress);
      send({ kind: 'done', result });
    } catch (error) {
      send({ kind: 'failed', failure: describe(error) });
    }
  };
  process.on('message', (message: TaskMessage) => {
    if (message.kind === 'cancel') cancel.abort(new Error('The render was cancelled'));
    else void answer(message.task);
  });
  send({ kind: 'ready' });
}

/**
 * Ignores signals: an interrupt in a terminal reaches all processes there, but only the parent decides when a render
 * stops. When the parent is gone, the process kills itself at once, because an orderly exit would wait for FFmpeg. (A
 * confined worker is the first process of its namespace and cannot kill itself, but it ends with its parent anyway.)
 */
function exitWithParent(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
}

function atMostEvery(pauseMs: number, act: () => void): () => void {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const now = systemClock.monotonic();
    if (now - last < pauseMs) return;
    last = now;
    act();
  };
}

function describe(error: unknown): TaskFailure {
  if (error instanceof RenderError) return { code: error.code, message: error.message };
  return { code: 'processing_failed', message: `Cannot render: ${messageOf(error)}` };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
