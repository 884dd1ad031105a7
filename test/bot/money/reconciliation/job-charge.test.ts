import { expect, test } from 'vitest';
import { findJob } from '../../../../db/queries/jobs.ts';
import { jobCharge } from '../../../../src/bot/money/reconciliation/job-charge.ts';
import {
  RECONCILIATION_LIMITS,
  type Reconciliation,
} from '../../../../src/bot/money/reconciliation/reconciliation.ts';
import { type Reply, drop, refuse, text, useClient, useStubApi } from '../../../media-api/use-stub-api.ts';
import { jobState } from '../../jobs/use-pipeline.ts';
import { type AccountBench, useAccount } from './use-account.ts';

const HOUR_MS = 3_600_000;
const CENT = 10_000;

test.each<readonly [string, Reply, number | undefined]>([
  ['it has cost something', jobState({ charged_usd: 0.07 }), 7],
  ['it was free', jobState({ charged_usd: 0 }), 0],
  ['its price is not known yet', jobState({ charged_usd: null }), undefined],
  ['it is running', jobState({ status: 'processing', charged_usd: 0.07 }), undefined],
  ['there is no such job', refuse(404, 'not_found'), undefined],
  ['the key is refused', refuse(401, 'unauthorized'), undefined],
  ['there is a fault', refuse(500, 'internal_error'), undefined],
  ['nonsense', text(200, 'one'), undefined],
  ['nothing, and hangs up', drop, undefined],
])('a job for which the service says that %s', async (_what, reply, cents) => {
  const bench = await useAccount();
  const subject = await bench.job('one');
  const job = await findJob(bench.database.kysely, subject);
  if (!job) throw new Error('There is no job');
  const context = { ...bench.context(), api: useClient(await useStubApi(reply)) };
  const told = await jobCharge(job, context, new AbortController().signal);
  expect(told).toBe(cents === undefined ? undefined : cents * CENT);
});

const STOPS: Record<string, (running: Reconciliation, bench: AccountBench) => unknown> = {
  'the bot stops': (running) => running[Symbol.asyncDispose](),
  'it takes too long': (_running, bench) => bench.clock.advance(RECONCILIATION_LIMITS.passMsMax),
};

test.each(Object.entries(STOPS))(
  'a comparison that ends because %s, at any request, assumes no answer',
  async (_why, stop) => {
    const bench = await useAccount();
    for (const name of ['a', 'b', 'c', 'd']) await bench.job(name);
    // The log has another price than the job at the service, so the comparison fetches the job.
    const disputed = await bench.job('one');
    bench.reprice(4, 7);
    // The books do not know this job's charge, but the service does.
    const open = await bench.job('two', { books: 'pending', cents: 3, row: { charged_micros: null } });
    await bench.clock.advance(HOUR_MS);
    const stoppedAt: string[] = [];
    let running = bench.reconciliation();
    const stub = await useStubApi((request, response, read) => {
      const url = new URL(request.url ?? '', 'http://x');
      const question = [url.pathname, ...url.searchParams.keys()].join(' ');
      if (stoppedAt.includes(question)) return bench.answer(request, response, read);
      stoppedAt.push(question);
      void stop(running, bench);
    });
    for (let stops = 0; stops <= stoppedAt.length; stops++) {
      running = bench.reconciliation({}, stub.baseUrl);
      const report = await running.run();
      await running[Symbol.asyncDispose]();
      const isOver = stops === stoppedAt.length;
      expect(report === undefined).toBe(!isOver);
      const { state, charged_micros: charged } = await bench.hold(open);
      const wasTold = stoppedAt.findIndex((one) => one.endsWith('/srv_two')) < stoppedAt.length - 1;
      expect([state, charged]).toEqual(isOver || wasTold ? ['posted', 3 * CENT] : ['pending', 0]);
      expect((await bench.hold(disputed)).charged_micros).toBe(4 * CENT);
    }
    expect(stoppedAt).toEqual(expect.arrayContaining(['/api/v1/jobs/srv_one', '/api/v1/jobs/srv_two']));
  },
);
