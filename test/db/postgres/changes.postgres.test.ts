import { expect, test } from 'vitest';
import type { Database } from '../../../db/database.ts';
import { usePipeline } from '../../bot/jobs/use-pipeline.ts';
import { useTwo } from './use-two.ts';

/** Returns a counter of the `jobs` notifications that a database has received since it started to listen. */
async function listening(database: Database): Promise<{ heard: number }> {
  const counted = { heard: 0 };
  database.changes.listen('jobs', () => void (counted.heard += 1));
  // The listener's first call shows that the database is listening.
  await expect.poll(() => counted.heard).toBe(1);
  counted.heard = 0;
  return counted;
}

test('a notification of one process reaches the others, and not itself', async () => {
  const { one, other } = await useTwo();
  const [own, others] = [await listening(one), await listening(other)];
  one.changes.notify('removals');
  one.changes.notify('jobs');
  await expect.poll(() => others.heard).toBe(1);
  other.changes.notify('jobs');
  await expect.poll(() => own.heard).toBe(1);
  expect(others.heard).toBe(1);
});

test('a stopped listener is not called', async () => {
  const { one, other } = await useTwo();
  let called = 0;
  const listener = other.changes.listen('jobs', () => void (called += 1));
  const others = await listening(other);
  called = 0;
  listener[Symbol.dispose]();
  one.changes.notify('jobs');
  await expect.poll(() => others.heard).toBe(1);
  expect(called).toBe(0);
});

test('after its connection ends, a process checks by itself, and then receives notifications again', async () => {
  const { one, other, endConnections } = await useTwo();
  const others = await listening(other);
  await endConnections();
  await expect.poll(() => others.heard).toBe(1);
  await expect.poll(() => (one.changes.notify('jobs'), others.heard)).toBeGreaterThan(1);
});

test('a command that one process accepted wakes the workers of another at once', async () => {
  const { one, other } = await useTwo();
  let heard = 0;
  const listen: Database['changes']['listen'] = (topic, call) =>
    other.changes.listen(topic, () => {
      heard += 1;
      call();
    });
  const told: Database = {
    kysely: other.kysely,
    changes: { listen, notify: (topic) => other.changes.notify(topic) },
    transaction: (scope, work) => other.transaction(scope, work),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const taking = await usePipeline({ db: one, start: false });
  const working = await usePipeline({ db: told });
  await expect.poll(() => heard).toBe(1);
  const jobId = await taking.run();
  await expect.poll(() => heard).toBeGreaterThan(1);
  await working.until(jobId, 'settled');
  expect(working.publisher.cards).toHaveLength(1);
});
