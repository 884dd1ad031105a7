import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { ProgressStage } from '../cards.ts';
import type { TypicalTimes } from '../prices/typical-times.ts';
import { progressCard } from './progress-card.ts';
import { replyTarget } from './reply-target.ts';
import type { JobPublisher } from '../job-publisher.ts';

export interface ShowProgressTools {
  readonly publisher: Pick<JobPublisher, 'showProgress'>;
  readonly typical: Pick<TypicalTimes, 'of'>;
}

/** Shows the stage on the member's card. */
export function showProgress(
  job: JobRow,
  stage: ProgressStage,
  { publisher, typical }: ShowProgressTools,
): void {
  publisher.showProgress(replyTarget(job), progressCard(job, stage, typical));
}
