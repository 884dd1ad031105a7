import { z } from 'zod';
import type { JobFailure } from './ports.ts';

const inputProblem = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('missing') }),
  z.object({ kind: z.literal('empty') }),
  z.object({ kind: z.literal('too_large'), sizeBytes: z.number(), sizeBytesMax: z.number() }),
  z.object({ kind: z.literal('wrong_type'), expected: z.enum(['image', 'audio', 'video']) }),
  z.object({ kind: z.literal('undecodable') }),
  z.object({ kind: z.literal('too_many_pixels'), megapixels: z.number(), megapixelsMax: z.number() }),
  z.object({ kind: z.literal('not_text') }),
  z.object({ kind: z.literal('text_too_long'), length: z.number(), lengthMax: z.number() }),
  z.object({ kind: z.literal('unavailable') }),
]);

const jobFailure: z.ZodType<JobFailure> = z.discriminatedUnion('reason', [
  z.object({ reason: z.literal('input'), option: z.string(), problem: inputProblem }),
  z.object({ reason: z.literal('job'), code: z.string() }),
  z.object({ reason: z.literal('service_refused'), code: z.string() }),
  z.object({ reason: z.literal('service_unreachable') }),
  z.object({ reason: z.literal('unconfirmed') }),
  z.object({ reason: z.literal('internal') }),
  z.object({ reason: z.literal('result_lost') }),
]);

/** Reads the failure stored with a job. */
export function parseFailure(stored: string | null): JobFailure {
  return jobFailure.parse(JSON.parse(stored ?? 'null'));
}
