import type { JobRow, JobStage } from '../../../../db/schema/jobs.ts';
import {
  type Failed,
  type GivenUp,
  type Step,
  failCrashed,
  leaveForReview,
  waitsForYes,
} from '../steps/step.ts';
import { askPrice } from '../steps/ask-price.ts';
import { collectResult, lost, notCollected } from '../steps/collect-result.ts';
import { fetchInputs } from '../steps/fetch-inputs.ts';
import { freezeRequest } from '../steps/freeze-request.ts';
import { chargeLater, learnCharge } from '../steps/learn-charge.ts';
import { notPrepared } from '../steps/not-prepared.ts';
import { notPosted, postResult, unposted } from '../steps/post-result.ts';
import { closeUncleared, notSettled, settle } from '../steps/settle.ts';
import { notSubmitted, submit } from '../steps/submit.ts';
import { uploadInputs } from '../steps/upload-inputs.ts';
import { notSeen, watch } from '../steps/watch.ts';
import { cancel, cancelUnlessTried } from '../steps/cancel.ts';

/** The stages in which work is left, in the order of the way of a job. */
export type OpenStage = Exclude<JobStage, 'settled' | 'abandoned'>;

/** Whom a step waits for. Steps of one lane share its places, so that who is slow holds up nobody else. */
export type Lane = 'chat_files' | 'service' | 'status' | 'results' | 'chat';

export interface StageWork {
  readonly lane: Lane;
  readonly step: Step;
  /** What a failed run comes to, where it is not simply repeated. */
  readonly failed?: Failed;
  /** The result of a step that ended the processes which ran it. */
  readonly givenUp: GivenUp;
  /** What is done instead once the job was taken back. */
  readonly takenBack?: Step;
}

/** What is done in each stage; the stage it leads to is part of the step's result. */
export const PIPELINE: Readonly<Record<OpenStage, StageWork>> = {
  accepted: {
    lane: 'chat_files',
    step: fetchInputs,
    failed: notPrepared,
    givenUp: failCrashed,
    takenBack: cancel,
  },
  fetched: {
    lane: 'service',
    step: uploadInputs,
    failed: notPrepared,
    givenUp: failCrashed,
    takenBack: cancel,
  },
  uploaded: { lane: 'service', step: freezeRequest, givenUp: failCrashed, takenBack: cancel },
  // The service may have accepted the job before a process died, and may charge for it.
  submitting: {
    lane: 'service',
    step: submit,
    failed: notSubmitted,
    givenUp: leaveForReview,
    takenBack: cancelUnlessTried,
  },
  submitted: { lane: 'status', step: watch, failed: notSeen, givenUp: leaveForReview },
  finished: { lane: 'status', step: learnCharge, givenUp: chargeLater },
  charged: { lane: 'results', step: collectResult, failed: notCollected, givenUp: lost },
  collected: { lane: 'chat', step: postResult, failed: notPosted, givenUp: unposted },
  posted: { lane: 'status', step: settle, failed: notSettled, givenUp: closeUncleared },
};

/** Of a fetched job whose member was asked about its price, and did not say yes so far. */
export const ASKING: StageWork = {
  lane: 'chat',
  step: askPrice,
  givenUp: failCrashed,
  takenBack: cancel,
};

/** What is done for the job now. Throws `TypeError` for one that has ended. */
export function workOf(job: JobRow): StageWork {
  if (!isOpen(job.stage)) throw new TypeError(`Cannot work on a job of stage "${job.stage}"`);
  return waitsForYes(job) ? ASKING : PIPELINE[job.stage];
}

export function isOpen(stage: JobStage): stage is OpenStage {
  return stage in PIPELINE;
}
