import type { Step } from '../step.ts';

/** posted -> settled: forgets what was only needed on the way (inputs, links, the reply's token). */
export const settle: Step = async (job, inputs, run) => {
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
      settled_at_ms: run.clock.now(),
    },
    also: (trx) => forgetLinks(trx, job.id),
  };
};
