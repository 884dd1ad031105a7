import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  abandonJob,
  acknowledgeJob,
  advanceJob,
  countOpenJobs,
  findJob,
  findJobByInteraction,
  findJobByServiceJobId,
  insertJob,
  renewLease,
  wakeJob,
} from '../../db/queries/jobs.ts';
import { listJobsOfCallbacks } from '../../db/queries/job-callbacks.ts';
import { joinLines, nextDueAtMs } from '../../db/queries/job-lines.ts';
import type { JobRow } from '../../db/schema/jobs.ts';
import { aJob } from './a-job.ts';
import { claimDueJob } from './claim-due-job.ts';
import { useDatabase } from './use-database.ts';
import { useFolder } from '../helpers/use-folder.ts';

const LEASE = { leaseMs: 1000, owner: 'worker' };

async function useJob(changes: Parameters<typeof aJob>[1] = {}) {
  const database = await useDatabase();
  const { job } = await database.transaction('guild:guild', (trx) => insertJob(trx, aJob('a', changes)));
  const claim = async (nowMs: number): Promise<JobRow> => {
    const claimed = await claimDueJob(database.kysely, { ...LEASE, nowMs });
    if (!claimed) throw new Error(`Nothing was due at ${nowMs}`);
    return claimed;
  };
  return { database, db: database.kysely, job, claim };
}

test('the same interaction stores one job and finds it again by every name', async () => {
  const { database, db, job } = await useJob({ service_job_id: 's1' });
  const repeat = { ...aJob('b'), interaction_id: job.interaction_id };
  expect(await database.transaction('guild:guild', (trx) => insertJob(trx, repeat))).toEqual({
    inserted: false,
    job,
  });
  expect(await findJob(db, job.id)).toEqual(job);
  expect(await findJobByInteraction(db, 'interaction_a')).toEqual(job);
  const tokens = ['callback_a', 'callback_b'];
  const found = await database.transaction('rows', (trx) => listJobsOfCallbacks(trx, tokens));
  expect(found).toMatchObject([{ id: job.id }]);
  expect(await findJobByServiceJobId(db, 's1')).toEqual(job);
  expect(await findJobByServiceJobId(db, 's2')).toBeUndefined();
});

test('a claimed job is due again when its lease ends, with a higher fence and another attempt', async () => {
  const { db, claim } = await useJob();
  expect(await claimDueJob(db, { ...LEASE, nowMs: 999 })).toBeUndefined();
  expect(await claim(1000)).toMatchObject({
    fence: 1,
    attempts: 1,
    lease_owner: 'worker',
    lease_until_ms: 2000,
  });
  expect(await claimDueJob(db, { ...LEASE, nowMs: 1999 })).toBeUndefined();
  expect(await nextDueAtMs(db)).toBe(2000);
  expect(await claim(2000)).toMatchObject({ fence: 2, attempts: 2 });
});

test('a worker whose lease was taken over writes nothing', async () => {
  const { db, claim } = await useJob();
  const slow = await claim(1000);
  const quick = await claim(2500);
  expect(await advanceJob(db, slow, { nowMs: 2600, patch: { stage: 'settled' } })).toBeUndefined();
  expect(await renewLease(db, slow, { nowMs: 2600, leaseMs: 1000 })).toBe(false);
  expect(await findJob(db, slow.id)).toEqual(quick);
  expect(await renewLease(db, quick, { nowMs: 2600, leaseMs: 1000 })).toBe(true);
  expect(await advanceJob(db, quick, { nowMs: 2700, patch: { stage: 'fetched' } })).toMatchObject({
    stage: 'fetched',
    attempts: 0,
    lease_owner: null,
    due_at_ms: 2700,
  });
});

test('a step that ends after its lease leaves the line that its job got into meanwhile', async () => {
  const { db, claim } = await useJob();
  const slow = await claim(1000);
  await joinLines(db, 2000);
  await advanceJob(db, slow, { nowMs: 2001, patch: { due_at_ms: 9000 } });
  expect(await claimDueJob(db, { ...LEASE, nowMs: 8999 })).toBeUndefined();
  expect(await nextDueAtMs(db)).toBe(9000);
});

test('a step that stays in its stage keeps counting attempts and comes back when it said', async () => {
  const { db, claim } = await useJob();
  const first = await claim(1000);
  await advanceJob(db, first, { nowMs: 1100, patch: { stage: 'accepted', due_at_ms: 5000 } });
  expect(await nextDueAtMs(db)).toBe(5000);
  expect((await claim(5000)).attempts).toBe(2);
});

test('if more jobs are due than fit in line, the jobs that were left out get in line first next time', async () => {
  const database = await useDatabase();
  const db = database.kysely;
  const names = Array.from({ length: 201 }, (_, n) => String(n));
  await database.transaction('guild:guild', async (trx) => {
    for (const name of names) {
      const dueAtMs = 9_000 - Number(name);
      await insertJob(trx, aJob(name, { due_at_ms: dueAtMs, turn: Number(name) }));
    }
  });

  await joinLines(db, 10_000);

  const waiting = await db.selectFrom('jobs').select('id').where('line', 'is', null).execute();
  expect(waiting).toEqual([{ id: 'job_0' }]);
});

test('a wake-up during a lease is not lost, whatever due time the step writes', async () => {
  const { db, claim } = await useJob({ service_job_id: 's1' });
  const claimed = await claim(1000);
  expect(await wakeJob(db, { serviceJobId: 's1' }, 1500)).toBe(true);
  expect(await claimDueJob(db, { ...LEASE, nowMs: 1500 })).toBeUndefined();
  await advanceJob(db, claimed, { nowMs: 1600, patch: { due_at_ms: 60_000 } });
  expect(await claim(1600)).toMatchObject({ fence: 2, woken_at_ms: null });
});

test('a wake-up makes a waiting job due now, and does not affect an ended job', async () => {
  const { db, job, claim } = await useJob({ due_at_ms: 90_000 });
  expect(await wakeJob(db, { id: job.id }, 1500)).toBe(true);
  const claimed = await claim(1500);
  await advanceJob(db, claimed, { nowMs: 1600, patch: { stage: 'settled' } });
  expect(await wakeJob(db, { id: job.id }, 1700)).toBe(false);
  expect(await nextDueAtMs(db)).toBeUndefined();
});

test('an ended job stays ended', async () => {
  const { db, claim } = await useJob();
  const claimed = await claim(1000);
  await advanceJob(db, claimed, { nowMs: 1100, patch: { stage: 'settled' } });
  expect(await advanceJob(db, claimed, { nowMs: 1200, patch: { stage: 'posted' } })).toBeUndefined();
  const update = db.updateTable('jobs').set({ stage: 'accepted' }).execute();
  await expect(update).rejects.toThrow('a job does not leave a terminal stage');
});

test('an acknowledged job becomes due once; a repeat changes only the message', async () => {
  const { db, job } = await useJob({ due_at_ms: 60_000 });
  await acknowledgeJob(db, { id: job.id, messageId: null, nowMs: 1200 });
  await acknowledgeJob(db, { id: job.id, messageId: 'm1', nowMs: 1300 });
  expect(await findJob(db, job.id)).toMatchObject({
    due_at_ms: 1200,
    acknowledged_at_ms: 1200,
    reply_message_id: 'm1',
  });
});

test('a job is abandoned once, and not while a worker has it', async () => {
  const { db, job, claim } = await useJob();
  const claimed = await claim(1000);
  expect(await abandonJob(db, job.id, 1500)).toBeUndefined();
  expect(await abandonJob(db, job.id, 2000)).toMatchObject({ stage: 'abandoned' });
  expect(await abandonJob(db, job.id, 2100)).toBeUndefined();
  expect(await advanceJob(db, claimed, { nowMs: 2200, patch: { stage: 'fetched' } })).toBeUndefined();
  expect(await countOpenJobs(db, { guildId: 'guild' })).toBe(0);
});

test('two workers with separate connections share 40 due jobs, and none is taken twice', async () => {
  const path = join(await useFolder(), 'shared.db');
  const [one, two] = [await useDatabase(path), await useDatabase(path)];
  await one.transaction('guild:guild', async (trx) => {
    for (let index = 0; index < 40; index++) await insertJob(trx, aJob(String(index)));
  });
  const [first, second]: [string[], string[]] = [[], []];
  // A worker that finds no job looks again, because the other worker may still be putting all jobs in line.
  const drain = async (database: typeof one, taken: string[], owner: string): Promise<void> => {
    while (first.length + second.length < 40) {
      const job = await claimDueJob(database.kysely, { owner, leaseMs: 60_000, nowMs: 2000 });
      if (job) taken.push(job.id);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  // Connects the second worker in advance; otherwise the first worker would take all jobs in the meantime.
  expect(await countOpenJobs(two.kysely, { guildId: 'guild' })).toBe(40);
  await Promise.all([drain(one, first, 'one'), drain(two, second, 'two')]);
  expect(first.length).toBeGreaterThan(0);
  expect(second.length).toBeGreaterThan(0);
  expect(new Set([...first, ...second]).size).toBe(40);
  expect(first.length + second.length).toBe(40);
});

test('open jobs are counted by guild and member', async () => {
  const { database, db } = await useJob({ accepted_at_ms: 3000 });
  await database.transaction('guild:guild', async (trx) => {
    await insertJob(trx, aJob('b', { accepted_at_ms: 2000, user_id: 'other' }));
    await insertJob(trx, aJob('c', { guild_id: 'elsewhere' }));
    await insertJob(trx, aJob('d', { stage: 'settled' }));
  });
  expect(await countOpenJobs(db, { guildId: 'guild' })).toBe(2);
  expect(await countOpenJobs(db, { guildId: 'guild', userId: 'other' })).toBe(1);
});
