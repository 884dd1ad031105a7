import { parentPort } from 'node:worker_threads';
import { RenderError } from '../render-error.ts';
import type { TaskFailure, TaskMessage, WorkerMessage } from './render-protocol.ts';

/** A task's result and the buffers in it to hand over instead of copying. */
export interface TaskResult {
  readonly result: unknown;
  readonly transfer?: readonly ArrayBuffer[];
}

/** Does one task; stops early when the signal aborts, with any error. */
export type TaskHandler = (task: unknown, signal: AbortSignal) => Promise<TaskResult>;

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
      const { result, transfer } = await handle(task, cancel.signal);
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

function describe(error: unknown): TaskFailure {
  if (error instanceof RenderError) return { code: error.code, message: error.message };
  return { code: 'processing_failed', message: `Cannot render: ${messageOf(error)}` };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
