import type { JobRow } from '../../../../db/schema/jobs.ts';
import { type ShowProgressTools, showProgress } from '../steps/show-progress.ts';
import { type TakeBackTools, takeBack } from './take-back.ts';
import type { TookBack } from './desk-outcomes.ts';

export interface CancelJobTools extends TakeBackTools, ShowProgressTools {
  readonly nudge: () => void;
}

/** Cancels a job and shows on its card that it was cancelled. Returns `undefined` if it is too late. */
export async function cancelJob(job: JobRow, tools: CancelJobTools): Promise<TookBack | undefined> {
  const taken = await takeBack(job, 'cancelled', tools);
  if (!taken) return undefined;
  if (taken.when === 'at_service') showProgress(job, 'cancelling', tools);
  tools.nudge();
  return { outcome: 'took_back', when: taken.when, isMessageGone: true };
}
