import { parseParameters } from '../parameters.ts';
import type { Step } from '../step.ts';

/**
 * uploaded -> submitting: writes down the exact body that will be sent, so that every repeat of the submit,
 * also after a restart, carries the same bytes under the same idempotency key.
 */
export const freezeRequest: Step = async (job, inputs, run) => {
  const keys = Object.fromEntries(inputs.map((input) => [input.field, input.file_key]));
  const callback = run.callbackUrl ? { callback_url: run.callbackUrl(job.callback_token) } : {};
  return {
    kind: 'advance',
    to: 'submitting',
    patch: { request_body: JSON.stringify({ ...keys, ...parseParameters(job.parameters), ...callback }) },
  };
};
