import type { JobStage } from '../../db/schema.ts';
import { isMediaApiError } from '../media-api/errors.ts';
import type { JobFailure } from './ports.ts';
import type { Step } from './step.ts';
import { collectResult } from './steps/collect-result.ts';
import { fetchInputs } from './steps/fetch-inputs.ts';
import { freezeRequest } from './steps/freeze-request.ts';
import { learnCharge } from './steps/learn-charge.ts';
import { postResult } from './steps/post-result.ts';
import { settle } from './steps/settle.ts';
import { submit } from './steps/submit.ts';
import { uploadInputs } from './steps/upload-inputs.ts';
import { watch } from './steps/watch.ts';

/** The stages in which work is left, in the order of the way of a job. */
export type OpenStage = Exclude<JobStage, 'settled' | 'abandoned'>;

export interface StageWork {
  readonly step: Step;
  /**
   * Why the job ends if the step keeps failing for `prepareMsMax`; only where nothing was submitted yet.
   * Without it the step is repeated for good.
   */
  readonly giveUp?: (error: unknown) => JobFailure;
}

/** What is done in each stage; the stage it leads to is part of the step's result. */
export const PIPELINE: Readonly<Record<OpenStage, StageWork>> = {
  accepted: { step: fetchInputs, giveUp },
  fetched: { step: uploadInputs, giveUp },
  uploaded: { step: freezeRequest },
  submitting: { step: submit },
  submitted: { step: watch },
  finished: { step: learnCharge },
  charged: { step: collectResult },
  collected: { step: postResult },
  posted: { step: settle },
};

export function isOpen(stage: JobStage): stage is OpenStage {
  return stage in PIPELINE;
}

function giveUp(error: unknown): JobFailure {
  return isMediaApiError(error) ? { reason: 'service_unreachable' } : { reason: 'internal' };
}
