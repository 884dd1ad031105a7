import { type FailUnchargedTools, failUncharged } from './fail-uncharged.ts';
import type { Step } from './step.ts';
import { type SubmitTools, leftNothing, submit } from './submit.ts';

/** Ends a job that was cancelled or deleted before it was sent to the service. */
export const cancel: Step<FailUnchargedTools> = (job, _inputs, run) =>
  Promise.resolve(failUncharged(job, { reason: 'cancelled' }, run));

/**
 * Ends a job that was cancelled or deleted, unless an earlier attempt may have reached the service. In that case, only
 * a repeated submission with the same idempotency key shows whether the earlier attempt reached it.
 */
export const cancelUnlessTried: Step<SubmitTools> = (job, inputs, run) => {
  return leftNothing(job) ? cancel(job, inputs, run) : submit(job, inputs, run);
};
