import { basename, extname } from 'node:path';
import type { JobRow } from '../../../db/schema.ts';
import { parseFailure } from '../failure.ts';
import type { FinalCard } from '../ports.ts';
import { type Step, type StepRun, capabilityOf, replyTarget } from '../step.ts';

/** collected -> posted: one message with one final card. */
export const postResult: Step = async (job, _inputs, run) => {
  const published = await run.publisher.publish(replyTarget(job), await finalCard(job, run), run.signal);
  if (published.outcome === 'undeliverable') {
    run.log.warn(
      { jobId: job.id, reason: published.reason },
      'The chat did not take the card; the result is kept',
    );
    return { kind: 'advance', to: 'posted' };
  }
  return { kind: 'advance', to: 'posted', patch: { result_message_id: published.messageId } };
};

async function finalCard(job: JobRow, run: StepRun): Promise<FinalCard> {
  const budget = await run.ledger.budget(run.db.kysely, job.guild_id);
  const common = { capability: capabilityOf(job), budget };
  if (job.outcome !== 'succeeded') {
    const charged = job.charged_micros;
    return { kind: 'failure', failure: parseFailure(job.failure), charged, ...common };
  }
  if (job.result_path === null || job.result_mime === null || job.charged_micros === null) {
    throw new TypeError('Cannot post a result that was not kept');
  }
  const name = `${job.capability.replaceAll('_', '-')}${extname(basename(job.result_path))}`;
  return {
    kind: 'result',
    file: { path: job.result_path, name, mime: job.result_mime },
    charged: job.charged_micros,
    tookMs: (job.finished_at_ms ?? run.clock.now()) - job.accepted_at_ms,
    ...common,
  };
}
