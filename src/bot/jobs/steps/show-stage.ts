import type { Database } from '../../../../db/database.ts';
import { isUnderWay } from '../../../../db/queries/jobs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { ProgressStage } from '../cards.ts';
import { progressCard } from './progress-card.ts';
import { replyTarget } from './reply-target.ts';
import type { ShowProgressTools } from './show-progress.ts';
import type { StepControl } from './step.ts';

export interface ShowStageTools extends ShowProgressTools {
  readonly db: Database;
}

/**
 * Shows the stage on the member's card, unless the job was cancelled or deleted, or another process may have taken it.
 */
export function showStage(
  job: JobRow,
  stage: ProgressStage,
  run: ShowStageTools & Pick<StepControl, 'isHeld'>,
): void {
  // Another process may already show the result, and a late progress card would replace it.
  if (job.taken_back !== null || !run.isHeld()) return;
  const card = progressCard(job, stage, run.typical);
  run.publisher.showProgress(replyTarget(job), card, () => isUnderWay(run.db.kysely, job.id));
}
