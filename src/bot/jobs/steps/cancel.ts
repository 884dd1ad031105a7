import { type Step, failUncharged } from './step.ts';
import { leftNothing, submit } from './submit.ts';

/** Nothing has gone to the service yet: the hold goes back. */
export const cancel: Step = (job, _inputs, run) =>
  Promise.resolve(failUncharged(job, { reason: 'cancelled' }, run));

/** Once a try may have left a job at the service, only a repeat under its key tells. */
export const cancelUnlessTried: Step = (job, inputs, run) => {
  return leftNothing(job) ? cancel(job, inputs, run) : submit(job, inputs, run);
};
