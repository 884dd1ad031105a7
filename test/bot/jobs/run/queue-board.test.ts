import { expect, onTestFinished, test } from 'vitest';
import { joinLines } from '../../../../db/queries/job-lines.ts';
import { insertJob } from '../../../../db/queries/jobs.ts';
import type { NewJob } from '../../../../db/schema/jobs.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import type { ProgressCard } from '../../../../src/bot/jobs/cards.ts';
import { QueueBoard } from '../../../../src/bot/jobs/run/queue-board.ts';
import { TypicalTimes } from '../../../../src/bot/jobs/prices/typical-times.ts';
import { aJob } from '../../../db/a-job.ts';
import { useDatabase } from '../../../db/use-database.ts';
import type { JobPublisher } from '../../../../src/bot/jobs/job-publisher.ts';
import type { ReplyTarget } from '../../../../src/bot/jobs/reply-target.ts';

class Shown implements JobPublisher {
  readonly cards: string[] = [];

  showProgress(target: ReplyTarget, { stage, position }: ProgressCard): void {
    this.cards.push(`${target.jobId} ${stage} ${position}`);
  }

  ask(): never {
    throw new TypeError('A board asks nothing');
  }

  publish(): never {
    throw new TypeError('A board publishes nothing');
  }

  remove(): never {
    throw new TypeError('A board removes nothing');
  }
}

async function useBoard(worked: readonly string[] = []) {
  const db = await useDatabase();
  const clock = new FakeClock(100_000);
  const publisher = new Shown();
  const isWorkedOn = (jobId: string): boolean => worked.includes(jobId);
  const parts = { db, clock, publisher, isWorkedOn, typical: new TypicalTimes(db), log: silentLogger };
  const board = new QueueBoard(parts);
  onTestFinished(() => board[Symbol.asyncDispose]());
  board.start();
  return {
    db,
    publisher,
    waits: async (names: readonly string[], changes: Partial<NewJob> = {}): Promise<void> => {
      await db.transaction('guild:guild', async (trx) => {
        for (const [turn, name] of names.entries()) {
          await insertJob(trx, aJob(name, { stage: 'submitting', turn, due_at_ms: 1_000, ...changes }));
        }
      });
      await joinLines(db.kysely, clock.now());
    },
    /** Returns the cards that change when the board looks at the queue again. */
    look: async (): Promise<string[]> => {
      publisher.cards.length = 0;
      await clock.advance(5_000);
      // Database queries take real time, which the fake clock does not control.
      for (let turn = 0; turn < 50; turn++) await clock.advance(0);
      return [...publisher.cards];
    },
  };
}

test('the card of each job that waits for a capability shows its place there, once', async () => {
  const board = await useBoard(['job_b']);
  await board.waits(['a', 'b', 'c']);
  await board.waits(['other'], { capability: 'avatar' });

  expect(await board.look()).toEqual(['job_a queued 1', 'job_c queued 3', 'job_other queued 1']);
  expect(await board.look()).toEqual([]);

  await board.db.kysely.updateTable('jobs').set({ line: null }).where('id', '=', 'job_a').execute();
  expect(await board.look()).toEqual(['job_c queued 2']);
});

test('a job that has only now become due is not shown as waiting', async () => {
  const board = await useBoard();
  await board.waits(['a'], { due_at_ms: 99_999 });
  expect(await board.look()).toEqual(['job_a queued 1']);
  await board.waits(['b'], { due_at_ms: 104_999, turn: 7 });
  expect(await board.look()).toEqual(['job_b queued 2']);
});

test('a long line changes at most 20 cards per look, and places far behind are rounded', async () => {
  const board = await useBoard();
  await board.waits(Array.from({ length: 300 }, (_, index) => String(index)));
  const looks = [await board.look(), await board.look(), await board.look()];
  expect(looks.map((look) => look.length)).toEqual([20, 20, 20]);
  expect(looks[0]?.slice(8, 13)).toEqual([
    'job_8 queued 9',
    'job_9 queued 10',
    'job_10 queued 15',
    'job_11 queued 15',
    'job_12 queued 15',
  ]);
  expect(looks[2]?.at(-1)).toBe('job_59 queued 100');
});
