import { z } from 'zod';
import { invalidInput } from '../wire/api-error.ts';
import { parseInput } from '../wire/parse-input.ts';
import type { JobCapability } from '../capabilities/capability.ts';
import { type CallbackPolicy, checkCallbackUrl } from '../webhooks/callback-policy.ts';

/** The body and headers of a submission after validation. */
export interface Submission {
  /** The file keys by body field, exactly as received. */
  readonly fileKeys: Readonly<Record<string, string>>;
  readonly parameters: unknown;
  readonly callbackUrl: string | undefined;
  readonly idempotencyKey: string | undefined;
}

const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;
const fileKey = z.string().startsWith('api/').max(255);
const callback = z.object({ callback_url: z.string().optional() });

/**
 * Parses a submission to `capability` and ignores unknown fields. Throws `invalid_input` with the name of the invalid
 * field.
 */
export function parseSubmission(
  capability: JobCapability,
  body: unknown,
  options: { idempotencyKey: string | string[] | undefined; callbackPolicy: CallbackPolicy },
): Submission {
  const keys = z.object(Object.fromEntries(Object.keys(capability.inputs).map((field) => [field, fileKey])));
  const fileKeys = parseInput(keys, body);
  const parameters = parseInput(capability.parameters, body);
  const { callback_url: callbackUrl } = parseInput(callback, body);
  if (callbackUrl !== undefined) {
    const problem = checkCallbackUrl(callbackUrl, options.callbackPolicy);
    if (problem) throw invalidInput(`callback_url: ${problem}`);
  }
  return { fileKeys, parameters, callbackUrl, idempotencyKey: parseIdempotencyKey(options.idempotencyKey) };
}

function parseIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && IDEMPOTENCY_KEY.test(header)) return header;
  throw invalidInput('Idempotency-Key: must be 1 to 255 printable ASCII characters');
}
