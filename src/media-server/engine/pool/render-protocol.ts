import { z } from 'zod';
import { JOB_ERROR_CODES, type JobErrorCode } from '../../../media-api/wire.ts';

/** What a pool sends to its worker: one task at a time, and that nobody waits for it any more. */
export type TaskMessage = { readonly kind: 'task'; readonly task: unknown } | { readonly kind: 'cancel' };

/** Why a task ended without a result. */
export interface TaskFailure {
  readonly code: JobErrorCode;
  readonly message: string;
}

const failureSchema: z.ZodType<TaskFailure> = z.object({
  code: z.enum(JOB_ERROR_CODES),
  message: z.string(),
});

/** What a worker sends: once `ready` or `unable`, then exactly one `done` or `failed` per task, `progress` before. */
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
