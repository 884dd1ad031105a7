import { forgetJobInputs } from '../../../db/queries/job-inputs.ts';
import { closeDeliveriesOfJob } from '../../../db/queries/webhook-deliveries.ts';
import type { Step } from '../step.ts';

/** posted -> settled: forgets what was only needed on the way (inputs, links, the reply's token). */
export const settle: Step = async (job, inputs, run) => {
  const nowMs = run.clock.now();
  await run.files.removeInputs(
    job.id,
    inputs.map((input) => input.field),
  );
  return {
    kind: 'advance',
    to: 'settled',
    patch: {
      interaction_token: '',
      request_body: null,
      output_url: null,
      settled_at_ms: nowMs,
    },
    also: async (trx) => {
      await forgetJobInputs(trx, job.id);
      await closeDeliveriesOfJob(trx, job.callback_token, nowMs);
    },
  };
};
