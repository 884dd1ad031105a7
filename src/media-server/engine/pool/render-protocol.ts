import { z } from 'zod';
import { JOB_ERROR_CODES, type JobErrorCode } from '../../../media-api/wire.ts';

/** A message from a pool to its worker: a task (there is only one at a time) or its cancellation. */
export type TaskMessage = { readonly kind: 'task'; readonly task: unknown } | { readonly kind: 'cancel' };

/** The reason why a task ended without a result. */
export interface TaskFailure {
  readonly code: JobErrorCode;
  readonly message: string;
}

const failureSchema: z.ZodType<TaskFailure> = z.object({
  code: z.enum(JOB_ERROR_CODES),
  message: z.string(),
});

/**
 * The messages of a worker: first `ready` or `unable`, then for each task any number of `progress` and
 * exactly one `done` or `failed`.
 */
export const workerMessageSchema: z.ZodType<WorkerMessage> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('unable'), message: z.string() }),
  z.object({ kind: z.literal('progress') }),
  z.object({ kind: z.literal('done'), result: z.unknown() }),
  z.object({ kind: z.literal('failed'), failure: failureSchema }),
]);

export type WorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'unable'; readonly message: string }
  | { readonly kind: 'progress' }
  | { readonly kind: 'done'; readonly result?: unknown }
  | { readonly kind: 'failed'; readonly failure: TaskFailure };
