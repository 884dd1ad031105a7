import assert from 'node:assert/strict';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ZERO } from '../../../src/base/money.ts';
import { insertAccount } from '../../../src/media-server/store/accounts.ts';
import { Database } from '../../../src/media-server/store/database.ts';
import { claimJob, finishJob, insertJob } from '../../../src/media-server/store/jobs.ts';
import { useFolder } from '../../helpers/use-folder.ts';

const ACCOUNTS = 4;
const RUN = 'run_1';

/** The next event: an account queues a job, or a random render ends, which frees a worker. */
const event = fc.oneof(
  { weight: 3, arbitrary: fc.record({ submitBy: fc.nat({ max: ACCOUNTS - 1 }) }) },
  { weight: 2, arbitrary: fc.record({ endOf: fc.nat() }) },
);

/**
 * A model of the queue's rule. For each account, it counts the waiting jobs, the rendering jobs, and the number of
 * times that the account has been passed over since it last got a worker.
 */
class Model {
  readonly waiting: number[] = Array.from({ length: ACCOUNTS }, () => 0);
  readonly rendering: number[] = Array.from({ length: ACCOUNTS }, () => 0);
  readonly passedOver: number[] = Array.from({ length: ACCOUNTS }, () => 0);

  claimed(account: number): void {
    const others = this.waiting.map((_count, other) => other).filter((other) => this.#waits(other));
    for (const other of others) {
      // No account gets another worker while a waiting account has fewer workers.
      assert((this.rendering[account] ?? 0) <= (this.rendering[other] ?? 0));
      if (other !== account) this.passedOver[other] = (this.passedOver[other] ?? 0) + 1;
    }
    this.passedOver[account] = 0;
    this.waiting[account] = (this.waiting[account] ?? 0) - 1;
    this.rendering[account] = (this.rendering[account] ?? 0) + 1;
  }

  #waits(account: number): boolean {
    return (this.waiting[account] ?? 0) > 0;
  }
}

test('no account gets a worker before a waiting one with fewer, nor twice before one with as many', async () => {
  const folder = await useFolder();
  let runs = 0;
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4 }),
      fc.array(event, { maxLength: 80, size: 'max' }),
      (workers, events) => {
        runs += 1;
        using db = new Database(join(folder, `${runs}.db`));
        const model = new Model();
        const running: { id: string; account: number }[] = [];
        for (let account = 0; account < ACCOUNTS; account++) {
          insertAccount(db, { id: `acc_${account}`, name: 'Any', createdAt: account });
        }
        let now = 1;
        const fill = (): void => {
          while (running.length < workers) {
            const job = claimJob(db, RUN, now);
            if (!job) break;
            const account = Number(job.accountId.slice('acc_'.length));
            model.claimed(account);
            // Among accounts with equally many workers, each is served once before any is served again.
            if (workers === 1) expect(Math.max(...model.passedOver)).toBeLessThan(ACCOUNTS);
            running.push({ id: job.id, account });
          }
          const waiting = model.waiting.reduce((sum, count) => sum + count, 0);
          expect(running.length === workers || waiting === 0).toBe(true);
        };
        for (const step of events) {
          now += 1;
          if ('submitBy' in step) {
            insertJob(db, queuedJob(`job_${now}`, step.submitBy, now));
            model.waiting[step.submitBy] = (model.waiting[step.submitBy] ?? 0) + 1;
          } else {
            const [ended] = running.splice(step.endOf % Math.max(running.length, 1), 1);
            if (!ended) continue;
            const failure = {
              status: 'failed',
              errorCode: 'processing_failed',
              reason: 'cancelled',
            } as const;
            expect(finishJob(db, ended.id, failure, now)).toBe(true);
            model.rendering[ended.account] = (model.rendering[ended.account] ?? 0) - 1;
          }
          fill();
        }
      },
    ),
    { numRuns: 40 },
  );
});

function queuedJob(id: string, account: number, createdAt: number): Parameters<typeof insertJob>[1] {
  const free = { rate: ZERO, minimum: ZERO, hold: ZERO };
  return {
    id,
    accountId: `acc_${account}`,
    feature: 'photo_swap',
    request: '{}',
    callbackUrl: null,
    ...free,
    createdAt,
    inputs: [],
  };
}
