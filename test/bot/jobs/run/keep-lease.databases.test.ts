import { expect, test } from 'vitest';
import { insertJob } from '../../../../db/queries/jobs.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { keepLease } from '../../../../src/bot/jobs/run/keep-lease.ts';
import { aJob } from '../../../db/a-job.ts';
import { claimDueJob } from '../../../db/claim-due-job.ts';
import { useDatabase } from '../../../db/use-database.ts';

const LEASE_MS = 30_000;

test('a step that takes many leases keeps its job: each lease is renewed before it runs out', async () => {
  const db = await useDatabase();
  const clock = new FakeClock();
  const claim = { nowMs: clock.now(), leaseMs: LEASE_MS };
  await db.transaction('guild:guild', (trx) => insertJob(trx, aJob('long')));
  const job = await claimDueJob(db.kysely, { ...claim, owner: 'one' });
  if (!job) throw new Error('There is no job to claim');
  const tools = { db, clock, log: silentLogger, limits: { leaseMs: LEASE_MS } };
  using lease = keepLease(job, tools, new AbortController().signal);
  const untilMs = async (): Promise<number | null> =>
    (await db.kysely.selectFrom('jobs').select('lease_until_ms').executeTakeFirstOrThrow()).lease_until_ms;

  for (let thirds = 1; thirds <= 12; thirds++) {
    await clock.advance(LEASE_MS / 3);
    await expect.poll(untilMs, { interval: 5 }).toBe(clock.now() + LEASE_MS);
    await expect.poll(lease.isHeld, { interval: 5 }).toBe(true);
    expect(
      await claimDueJob(db.kysely, { ...claim, nowMs: clock.now(), owner: 'another' }),
      `after ${thirds} thirds of a lease`,
    ).toBeUndefined();
  }
  expect(lease.signal.aborted).toBe(false);
});
