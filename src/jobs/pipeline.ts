import type { JobRow, JobStage } from '../../db/schema.ts';
import { type Step, type StepResult, type StepRun, failUncharged } from './step.ts';
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

interface StageWork {
  readonly step: Step;
  /** How the job ends if the step keeps failing for `prepareMsMax`; without it the step is repeated for good. */
  readonly giveUp?: (job: JobRow, run: StepRun) => StepResult;
}

/** What is done in each stage; the stage it leads to is part of the step's result. */
export const PIPELINE: Readonly<Record<OpenStage, StageWork>> = {
  accepted: { step: fetchInputs, giveUp: inputsUnavailable },
  fetched: { step: uploadInputs, giveUp: serviceUnreachable },
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

function inputsUnavailable(job: JobRow, run: StepRun): StepResult {
  return failUncharged(job, { reason: 'input', option: 'image', problem: { kind: 'unavailable' } }, run);
}

function serviceUnreachable(job: JobRow, run: StepRun): StepResult {
  return failUncharged(job, { reason: 'service_unreachable' }, run);
}
