import { expect, test } from 'vitest';
import { joinLines } from '../../../db/queries/job-lines.ts';
import { advanceJob, findJob, insertJob } from '../../../db/queries/jobs.ts';
import { claimRemoval, insertRemoval } from '../../../db/queries/removals.ts';
import type { NewJob } from '../../../db/schema/jobs.ts';
import { aJob } from '../a-job.ts';
import { claimDueJob } from '../claim-due-job.ts';
import { type Two, useTwo } from './use-two.ts';

const CLAIM = { nowMs: 5_000, leaseMs: 60_000 };

async function withJobs(two: Two, names: readonly string[], changes: Partial<NewJob> = {}): Promise<void> {
  await two.one.transaction('guild:guild', async (trx) => {
    for (const [turn, name] of names.entries())
      await insertJob(trx, aJob(name, { turn, due_at_ms: 1_000, ...changes }));
  });
}

test('an uncommitted claim is skipped without a wait', async () => {
  const two = await useTwo();
  await withJobs(two, ['a', 'b']);
  await joinLines(two.one.kysely, CLAIM.nowMs);
  await two.one.transaction('rows', async (trx) => {
    const first = await claimDueJob(trx, { ...CLAIM, owner: 'one' });
    const second = await claimDueJob(two.other.kysely, { ...CLAIM, owner: 'other' });
    const third = await claimDueJob(two.other.kysely, { ...CLAIM, owner: 'other' });
    expect([first?.id, second?.id, third?.id]).toEqual(['job_a', 'job_b', undefined]);
  });
});

test('the first line that is not empty is served first, each in the order of its turns', async () => {
  const two = await useTwo();
  await withJobs(two, ['late', 'later'], { stage: 'accepted' });
  await withJobs(two, ['far'], { stage: 'collected' });
  const claimed: (string | undefined)[] = [];
  for (let index = 0; index < 4; index++) {
    const options = { ...CLAIM, owner: 'one' };
    claimed.push((await claimDueJob(two.one.kysely, options))?.id);
  }
  expect(claimed).toEqual(['job_late', 'job_later', 'job_far', undefined]);
});

test('each of 60 jobs is claimed once by 8 workers at the same time', async () => {
  const two = await useTwo();
  await withJobs(
    two,
    Array.from({ length: 60 }, (_, index) => String(index)),
  );
  const claimAll = async (index: number): Promise<string[]> => {
    const claimed: string[] = [];
    const { kysely } = index % 2 ? two.one : two.other;
    for (;;) {
      const job = await claimDueJob(kysely, { ...CLAIM, owner: `worker ${index}` });
      if (!job) return claimed;
      expect(job).toMatchObject({ fence: 1, attempts: 1, lease_owner: `worker ${index}` });
      claimed.push(job.id);
    }
  };
  const claimed = (await Promise.all(Array.from({ length: 8 }, (_, index) => claimAll(index)))).flat();
  expect(new Set(claimed).size).toBe(60);
  expect(claimed).toHaveLength(60);
});

test('a worker that lost a job records nothing, even while the new owner has not committed yet', async () => {
  const two = await useTwo();
  await withJobs(two, ['a']);
  const old = await claimDueJob(two.one.kysely, { ...CLAIM, owner: 'one' });
  if (!old) throw new Error('There is no job to claim');
  const afterLease = { ...CLAIM, nowMs: CLAIM.nowMs + CLAIM.leaseMs, owner: 'other' };
  let recorded: Promise<unknown> | undefined;
  await two.other.transaction('rows', async (trx) => {
    await claimDueJob(trx, afterLease);
    // The query waits for the row's lock, and then finds a higher fence.
    recorded = advanceJob(two.one.kysely, old, { nowMs: 70_000, patch: { stage: 'fetched' } });
  });
  expect(await recorded).toBeUndefined();
  expect(await findJob(two.one.kysely, 'job_a')).toMatchObject({
    stage: 'accepted',
    fence: 2,
    lease_owner: 'other',
  });
});

test('a removal is claimed by one process at a time', async () => {
  const two = await useTwo();
  const removal = { kind: 'member', subjectId: '1', secret: 's', nowMs: 1_000 } as const;
  await two.one.transaction('member:1', (trx) => insertRemoval(trx, removal));
  await two.one.transaction('member:2', (trx) =>
    insertRemoval(trx, { ...removal, subjectId: '2', nowMs: 2_000 }),
  );
  const options = { nowMs: 5_000, retryAtMs: 65_000 };
  const claimed = await Promise.all([one(), one(), one()]);
  async function one(): Promise<string | undefined> {
    return (await claimRemoval(two.other.kysely, options))?.subject_id;
  }
  expect(claimed.filter((id) => id !== undefined).sort()).toEqual(['1', '2']);
});
