import fc from 'fast-check';
import { expect, test } from 'vitest';
import { putBudgetSettings } from '../../../../db/queries/budget-settings.ts';
import { ZERO } from '../../../../src/base/money.ts';
import { anOrigin } from '../../../helpers/an-origin.ts';
import { submitAs } from '../use-inputs.ts';
import { type Pipeline, usePipeline } from '../use-pipeline.ts';
import type { CallOrigin } from '../../../../src/bot/jobs/call-origin.ts';

const RUNS = Number(process.env['PRICE_QUESTION_RUNS'] ?? 40);
const OWN = anOrigin();
const STRANGER = anOrigin({ userId: '999' });
const MODERATOR = anOrigin({ userId: '777', isModerator: true });
const MINUTE_MS = 60_000;

type Event =
  | { readonly kind: 'yes' | 'two yes' | 'yes of a stranger' | 'yes of a moderator' | 'cancel' | 'delete' }
  | { readonly kind: 'time'; readonly minutes: number }
  | { readonly kind: 'pause'; readonly looks: number };

const anEvent: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'yes' as const,
        'two yes' as const,
        'yes of a stranger' as const,
        'yes of a moderator' as const,
        'cancel' as const,
        'delete' as const,
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('time' as const), minutes: fc.integer({ min: 1, max: 11 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('pause' as const), looks: fc.integer({ min: 1, max: 5 }) }),
  },
);

/** The outcome of one sequence of events. */
interface Seen {
  readonly jobId: string;
  /** The number of times that a confirmation by the job's member was accepted as the first one. */
  yesCount: number;
}

async function happen(pipeline: Pipeline, seen: Seen, event: Event): Promise<void> {
  const { jobs } = pipeline;
  const { jobId } = seen;
  const yes = async (who: CallOrigin): Promise<void> => {
    const said = await jobs.desk.confirm(who, jobId);
    if (said.outcome === 'confirmed' && said.isNew) seen.yesCount += 1;
  };
  switch (event.kind) {
    case 'yes':
      return yes(OWN);
    case 'two yes':
      await Promise.all([yes(OWN), yes(OWN)]);
      return;
    case 'yes of a stranger':
      return yes(STRANGER);
    case 'yes of a moderator':
      return yes(MODERATOR);
    case 'cancel':
      await jobs.desk.cancel(MODERATOR, jobId);
      return;
    case 'delete':
      await jobs.desk.remove(OWN, jobId);
      return;
    case 'time':
      return pipeline.later(event.minutes * MINUTE_MS);
    case 'pause':
      for (let left = event.looks; left > 0; left--) await pipeline.row(jobId);
  }
}

/** Returns how many submissions of this job the service received. Each job has its own idempotency key. */
async function submitsOf(pipeline: Pipeline, jobId: string): Promise<number> {
  const { idempotency_key: key } = await pipeline.row(jobId);
  return pipeline.received.filter(({ headers }) => headers['idempotency-key'] === key).length;
}

test('whatever happens between question and answer, nothing is sent without a yes, and nothing stays held', async () => {
  const pipeline = await usePipeline({ limits: { staleMs: 1e12, submitMsMax: 1e12, prepareMsMax: 1e12 } });
  const { db, jobs, publisher } = pipeline;
  await db.transaction('guild:3', (trx) =>
    putBudgetSettings(trx, OWN.guildId, { confirm_above_micros: ZERO }),
  );
  let count = 0;

  await fc.assert(
    fc.asyncProperty(fc.array(anEvent, { maxLength: 8 }), fc.boolean(), async (events, isAskedFirst) => {
      const name = `${(count += 1)}`;
      pipeline.script.submit = [submitAs(`srv_${name}`)];
      const asked = publisher.asked.length;
      const seen: Seen = { jobId: await pipeline.run(name), yesCount: 0 };
      const { jobId } = seen;
      if (isAskedFirst)
        await expect.poll(() => publisher.asked.length, { interval: 2 }).toBeGreaterThan(asked);
      for (const each of events) {
        await happen(pipeline, seen, each);
        if (seen.yesCount === 0) expect(await submitsOf(pipeline, jobId)).toBe(0);
      }
      await pipeline.later(11 * MINUTE_MS);
      const end = await pipeline.until(jobId, 'settled', MINUTE_MS);

      expect(seen.yesCount).toBeLessThanOrEqual(1);
      expect(end.confirmed_at_ms !== null).toBe(seen.yesCount === 1);
      const submits = await submitsOf(pipeline, jobId);
      expect(submits).toBeLessThanOrEqual(seen.yesCount);
      const { state } = await pipeline.hold(jobId);
      expect(state).toBe(submits === 1 ? 'posted' : 'voided');
      if (seen.yesCount === 1 && end.taken_back === null) expect(submits).toBe(1);
      expect((await jobs.desk.confirm(OWN, jobId)).outcome).toBe(
        end.confirmed_at_ms !== null && end.taken_back === null ? 'confirmed' : 'refused',
      );
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
}, 120_000);
