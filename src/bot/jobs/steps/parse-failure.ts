import { z } from 'zod';
import { ZERO, micros } from '../../../base/money.ts';
import type { JobFailure } from '../cards.ts';

const inputProblem = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('missing') }),
  z.object({ kind: z.literal('empty') }),
  z.object({ kind: z.literal('too_large'), sizeBytes: z.number(), sizeBytesMax: z.number() }),
  z.object({ kind: z.literal('wrong_type'), expected: z.enum(['image', 'audio', 'video']) }),
  z.object({
    kind: z.literal('unsupported_format'),
    expected: z.enum(['image', 'audio', 'video']),
    format: z.string(),
  }),
  z.object({ kind: z.literal('too_long'), durationSeconds: z.number(), durationSecondsMax: z.number() }),
  z.object({ kind: z.literal('undecodable') }),
  z.object({
    kind: z.literal('unclear_length'),
    because: z.enum(['edits', 'speed', 'twice', 'sound']),
  }),
  z.object({ kind: z.literal('too_complex') }),
  z.object({ kind: z.literal('too_many_pixels'), megapixels: z.number(), megapixelsMax: z.number() }),
  z.object({ kind: z.literal('not_text') }),
  z.object({ kind: z.literal('text_too_long'), length: z.number(), lengthMax: z.number() }),
  z.object({ kind: z.literal('unavailable') }),
]);

const shortCap = z.object({
  target: z.discriminatedUnion('kind', [
    z.object({ kind: z.enum(['operator', 'default', 'guild', 'member']) }),
    z.object({ kind: z.literal('role'), roleId: z.string() }),
  ]),
  capability: z.string().nullable(),
  period: z.enum(['day', 'week', 'month', 'total']),
  limit: z.number().transform(micros),
  pending: z.number().transform(micros).default(ZERO),
  left: z.number().transform(micros),
  resetsAtMs: z.number().nullable(),
});

const jobFailure: z.ZodType<JobFailure> = z.discriminatedUnion('reason', [
  z.object({ reason: z.literal('input'), option: z.string(), problem: inputProblem }),
  z.object({ reason: z.literal('job'), code: z.string() }),
  z.object({ reason: z.literal('service_refused'), code: z.string() }),
  z.object({ reason: z.literal('service_unreachable') }),
  z.object({
    reason: z.literal('budget'),
    price: z.number().transform(micros).nullable().default(null),
    needed: z.number().transform(micros),
    lengths: z.array(z.object({ of: z.string(), durationMs: z.number() })).default([]),
    cap: shortCap.nullable().default(null),
  }),
  z.object({ reason: z.literal('not_confirmed'), price: z.number().transform(micros) }),
  z.object({ reason: z.literal('overrun_unseen') }),
  z.object({ reason: z.literal('unconfirmed') }),
  z.object({ reason: z.literal('internal') }),
  z.object({ reason: z.literal('crashed') }),
  z.object({ reason: z.literal('cancelled') }),
  z.object({ reason: z.literal('result_lost') }),
]);

/** Parses the failure that is stored with a job. Throws if the stored text is not a valid failure. */
export function parseFailure(stored: string | null): JobFailure {
  return jobFailure.parse(JSON.parse(stored ?? 'null'));
}
