import { readFile } from 'node:fs/promises';
import type { JobInputRow } from '../../../../db/schema/job-inputs.ts';
import { parseParameters } from '../inputs/parse-parameters.ts';
import type { Step } from './step.ts';

export interface FreezeRequestTools {
  /**
   * Returns the URL to which the service delivers a job's webhook. If `callbackUrl` is undefined, no webhooks are
   * requested.
   */
  readonly callbackUrl: ((callbackToken: string) => string) | undefined;
}

/**
 * uploaded -> submitting: stores the exact body that will be sent. Every repeated submission, even after a restart,
 * then sends the same bytes with the same idempotency key.
 */
export const freezeRequest: Step<FreezeRequestTools> = async (job, inputs, run) => {
  const fields = Object.fromEntries(
    await Promise.all(inputs.map(async (input) => [input.field, await valueOf(input)] as const)),
  );
  const callback = run.callbackUrl ? { callback_url: run.callbackUrl(job.callback_token) } : {};
  return {
    kind: 'advance',
    to: 'submitting',
    patch: {
      request_body: JSON.stringify({ ...fields, ...parseParameters(job.parameters), ...callback }),
      // The submission times are cleared, because no earlier body can have reached the service.
      submit_from_ms: null,
      submit_to_ms: null,
    },
  };
};

/** Returns the text itself for a text input, and the service's file key for a file. */
async function valueOf({ kind, path, file_key: fileKey }: JobInputRow): Promise<string> {
  if (kind === 'text' && path !== null) return readFile(path, 'utf8');
  if (fileKey === null) throw new TypeError('Cannot submit a job whose input was not uploaded');
  return fileKey;
}
