import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { ProgressCard, ProgressStage } from '../cards.ts';
import type { TypicalTimes } from '../prices/typical-times.ts';
import { capabilityOf } from './capability-of.ts';

/** Returns the card that shows the progress of a running job. */
export function progressCard(
  job: JobRow,
  stage: ProgressStage,
  typical: Pick<TypicalTimes, 'of'>,
): ProgressCard {
  const capability = capabilityOf(job);
  return {
    capability,
    stage,
    acceptedAtMs: job.accepted_at_ms,
    price: job.quote_micros,
    typicalMs: typical.of(capability),
  };
}
