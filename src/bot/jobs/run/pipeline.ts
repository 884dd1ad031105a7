import type { JobRow, JobStage } from '../../../../db/schema/jobs.ts';
import { type AskPriceTools, askPrice } from '../steps/ask-price.ts';
import { cancel, cancelUnlessTried } from '../steps/cancel.ts';
import { type CollectResultTools, collectResult, lost, notCollected } from '../steps/collect-result.ts';
import { failCrashed } from '../steps/fail-uncharged.ts';
import { type FetchInputsTools, fetchInputs } from '../steps/fetch-inputs.ts';
import { type FreezeRequestTools, freezeRequest } from '../steps/freeze-request.ts';
import { type LearnChargeTools, chargeLater, learnCharge } from '../steps/learn-charge.ts';
import { leaveForReview } from '../steps/leave-for-review.ts';
import { type NotPreparedTools, notPrepared } from '../steps/not-prepared.ts';
import {
  type NotPostedTools,
  type PostResultTools,
  notPosted,
  postResult,
  unposted,
} from '../steps/post-result.ts';
import { type SettleTools, closeUncleared, notSettled, settle } from '../steps/settle.ts';
import type { Failed, GivenUp, Step } from '../steps/step.ts';
import { type NotSubmittedTools, type SubmitTools, notSubmitted, submit } from '../steps/submit.ts';
import { type UploadInputsTools, uploadInputs } from '../steps/upload-inputs.ts';
import { waitsForConfirmation } from '../steps/waits-for-confirmation.ts';
import { type WatchTools, notSeen, watch } from '../steps/watch.ts';

/** The stages that have a step, in the order in which a job passes them. */
export type OpenStage = Exclude<JobStage, 'settled' | 'abandoned'>;

/**
 * The systems that steps wait for. Steps in one lane share its places, so that a slow step does not delay steps in
 * other lanes.
 */
export type Lane = 'chat_files' | 'service' | 'status' | 'results' | 'chat';

/**
 * The tools of all steps together. The worker has all of them, and the type of each step lists only the ones that it
 * uses.
 */
export type PipelineTools = FetchInputsTools &
  AskPriceTools &
  UploadInputsTools &
  NotPreparedTools &
  FreezeRequestTools &
  SubmitTools &
  NotSubmittedTools &
  WatchTools &
  LearnChargeTools &
  CollectResultTools &
  PostResultTools &
  NotPostedTools &
  SettleTools;

export interface StageWork {
  readonly lane: Lane;
  readonly step: Step<PipelineTools>;
  /** Handles a failed run of the step. If `failed` is not set, the step is repeated later. */
  readonly failed?: Failed<PipelineTools>;
  /** Handles a step that repeatedly crashed its process. */
  readonly givenUp: GivenUp<PipelineTools>;
  /** Runs instead of `step` once the job has been cancelled or deleted. */
  readonly takenBack?: Step<PipelineTools>;
}

/** The work for each stage. The step's result names the next stage. */
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
  // If a process dies in this stage, the service may already have accepted the job, and may charge for it.
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

/** The work for a fetched job whose member was asked to confirm the price and has not done so yet. */
export const ASKING: StageWork = {
  lane: 'chat',
  step: askPrice,
  givenUp: failCrashed,
  takenBack: cancel,
};

/** Returns the work to do next for the job. Throws `TypeError` for a job that has ended. */
export function workOf(job: JobRow): StageWork {
  if (!isOpen(job.stage)) throw new TypeError(`Cannot work on a job of stage "${job.stage}"`);
  return waitsForConfirmation(job) ? ASKING : PIPELINE[job.stage];
}

export function isOpen(stage: JobStage): stage is OpenStage {
  return stage in PIPELINE;
}
