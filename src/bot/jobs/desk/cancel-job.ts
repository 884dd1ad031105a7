import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { JobPublisher } from '../ports.ts';
import type { TypicalTimes } from '../prices/typical-times.ts';
import { progressCard } from '../steps/progress-card.ts';
import { replyTarget } from '../steps/reply-target.ts';
import type { TookBack } from './desk-ports.ts';
import { type TakeBackTools, takeBack } from './take-back.ts';

export interface CancelJobTools extends TakeBackTools {
  readonly publisher: Pick<JobPublisher, 'showProgress'>;
  readonly typical: Pick<TypicalTimes, 'of'>;
  readonly nudge: () => void;
}

/** Ends a job early, and its card says so. Returns `undefined` if it is too late for that. */
export async function cancelJob(job: JobRow, tools: CancelJobTools): Promise<TookBack | undefined> {
  const taken = await takeBack(job, 'cancelled', tools);
  if (!taken) return undefined;
  if (taken.when === 'at_service') {
    tools.publisher.showProgress(replyTarget(job), progressCard(job, 'cancelling', tools.typical));
  }
  tools.nudge();
  return { outcome: 'took_back', when: taken.when, isMessageGone: true };
}
