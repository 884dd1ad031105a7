import { expect, test } from 'vitest';
import { insertJob } from '../../../../db/queries/jobs.ts';
import type { NewJob } from '../../../../db/schema/jobs.ts';
import { TypicalTimes } from '../../../../src/bot/jobs/prices/typical-times.ts';
import { aJob } from '../../../db/a-job.ts';
import { useDatabase } from '../../../db/use-database.ts';

test('the next job is expected to take as long as the last 50 successes of its capability', async () => {
  const db = await useDatabase();
  const typical = new TypicalTimes(db);
  await typical.learn();
  expect([typical.of('photo_swap'), typical.atService('photo_swap')]).toEqual([null, null]);
  const settled = (name: string, tookMs: number, changes: Partial<NewJob> = {}): NewJob =>
    aJob(name, {
      stage: 'settled',
      outcome: 'succeeded',
      submitted_at_ms: 1_010,
      finished_at_ms: 1_000 + tookMs,
      settled_at_ms: 1_020 + tookMs,
      ...changes,
    });
  await db.transaction('guild:guild', async (trx) => {
    for (let index = 0; index < 10; index++) await insertJob(trx, settled(`old${index}`, 1));
    for (let index = 1; index <= 50; index++) await insertJob(trx, settled(`new${index}`, index * 100));
    await insertJob(trx, settled('failed', 9_999_999, { outcome: 'failed' }));
    await insertJob(trx, settled('other', 9_999_999, { capability: 'avatar' }));
  });

  await typical.learn(['photo_swap']);

  expect(typical.of('photo_swap')).toBe(2_520);
  expect(typical.atService('photo_swap')).toMatchObject({ p50Ms: 2_490, p95Ms: 4_690 });
  expect(typical.of('avatar')).toBeNull();
});
