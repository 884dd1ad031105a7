import { parentPort } from 'node:worker_threads';
import { systemClock } from '../../../base/clock.ts';
import { RenderError } from '../render-error.ts';
import type { TaskFailure, TaskMessage, WorkerMessage } from './render-protocol.ts';

/** A task's result and the buffers in it to hand over instead of copying. */
export interface TaskResult {
  readonly result: unknown;
  readonly transfer?: readonly ArrayBuffer[];
}

/** Does one task and tells its `progress`; stops early when the signal aborts, with any error. */
export type TaskHandler = (task: unknown, signal: AbortSignal, progress: () => void) => Promise<TaskResult>;

/** Progress is passed on no more often than this. */
const PROGRESS_PAUSE_MS = 1_000;

/**
 * The life of a worker thread: makes its handler once, says so, then answers one task after the other. Errors
 * other than `RenderError` are reported as `processing_failed` with their message.
 */
export async function serveTasks(load: () => Promise<TaskHandler>): Promise<void> {
  const port = parentPort;
  if (!port) throw new TypeError('Cannot serve tasks outside a worker thread');
  const send = (message: WorkerMessage, transfer: readonly ArrayBuffer[] = []): void =>
    port.postMessage(message, [...transfer]);
  let handle: TaskHandler;
  let cancel = new AbortController();
  try {
    handle = await load();
  } catch (error) {
    send({ kind: 'unable', message: messageOf(error) });
    port.close();
    return;
  }
  const answer = async (task: unknown): Promise<void> => {
    cancel = new AbortController();
    try {
      const progress = atMostEvery(PROGRESS_PAUSE_MS, () => send({ kind: 'progress' }));
      const { result, transfer } = await handle(task, cancel.signal, progress);
      send({ kind: 'done', result }, transfer);
    } catch (error) {
      send({ kind: 'failed', failure: describe(error) });
    }
  };
  port.on('message', (message: TaskMessage) => {
    if (message.kind === 'cancel') cancel.abort(new Error('The render was cancelled'));
    else void answer(message.task);
  });
  send({ kind: 'ready' });
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
