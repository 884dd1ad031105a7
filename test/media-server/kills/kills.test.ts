import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { WireBalance, WireJob } from '../../../src/media-api/wire.ts';
import type { ApiClient } from '../api-client.ts';
import { type DatabaseView, useDatabase } from '../use-database.ts';
import { type Receiver, useReceiver } from '../use-receiver.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { Crowd } from './crowd.ts';
import { DoomedServer } from './doomed-server.ts';
import { seeded } from './seeded.ts';

const KILLS = 100;
const CALLERS = 4;
/** The downtime after each kill: longer than the wait before a lost webhook attempt is repeated. */
const AWAY_MS = 60_000;

test(
  `after ${KILLS} kills -9 at random moments nothing is lost, doubled, stuck or charged twice`,
  { timeout: 600_000 },
  async () => {
    const random = seeded(20);
    const dataDir = await useFolder();
    const receiver = await useReceiver();
    const crowd = new Crowd(random, receiver.url);
    const lives = useLives(dataDir);
    await crowd.upload(await (await lives.next()).ready());
    for (let kills = 0; kills < KILLS; kills++) await liveAndDie(lives, crowd, random, kills);

    const api = await (await lives.next()).ready();
    await crowd.clearUp(api);
    const database = useDatabase(dataDir);
    await vi.waitFor(
      () => {
        expect(database.all('SELECT id FROM jobs WHERE finishedAt IS NULL')).toEqual([]);
        expect(database.all("SELECT id FROM deliveries WHERE state = 'pending'")).toEqual([]);
      },
      { timeout: 120_000, interval: 50 },
    );
    const jobs = await readJobs(api, crowd);
    expect(jobs.length).toBeGreaterThan(KILLS);
    expectOneJobPerKey(database, crowd);
    expectAnnounced(receiver, jobs);
    await expectPaidOnce(api, database, jobs);
    const kept = await readdir(join(dataDir, 'outputs'));
    const succeeded = jobs.filter(({ status }) => status === 'succeeded').map(({ id }) => id);
    expect(new Set(kept)).toEqual(new Set(succeeded));
    // The kills did interrupt renders: some were started again.
    expect(database.all('SELECT id FROM jobs WHERE renders > 1').length).toBeGreaterThan(5);
  },
);

interface Lives {
  /** Ends the running server and starts the next one. */
  next(): Promise<DoomedServer>;
}

/** Runs one server after the other on the same data; while one runs, the next one is already loading. */
function useLives(dataDir: string): Lives {
  let count = 0;
  let present: DoomedServer | undefined;
  let coming = new DoomedServer(dataDir, count);
  onTestFinished(async () => {
    await present?.kill();
    await coming.kill();
  });
  return {
    async next() {
      await present?.kill();
      present = coming;
      count += 1;
      coming = new DoomedServer(dataDir, count);
      present.begin(count * AWAY_MS);
      return present;
    },
  };
}

/** Kills a server in the middle of its work, or while it is still starting. */
async function liveAndDie(
  lives: Lives,
  crowd: Crowd,
  random: (limit: number) => number,
  kills: number,
): Promise<void> {
  const server = await lives.next();
  if (kills % 7 === 6) {
    await new Promise((resolve) => setTimeout(resolve, random(60)));
    return await server.kill();
  }
  const api = await server.ready();
  const enough = Promise.withResolvers<void>();
  let left = random(14);
  const onAnswer = (): void => {
    left -= 1;
    if (left < 0) enough.resolve();
  };
  const callers = Array.from({ length: CALLERS }, () => crowd.act(api, onAnswer));
  await enough.promise;
  await server.kill();
  await Promise.all(callers);
}

/** Reads every job as its caller does; the first read after a job's end settles the job. */
async function readJobs(api: ApiClient, crowd: Crowd): Promise<readonly WireJob[]> {
  const jobs: WireJob[] = [];
  for (const id of crowd.jobs.values()) jobs.push(await api.job(id));
  return jobs;
}

function expectOneJobPerKey(database: DatabaseView, crowd: Crowd): void {
  expect(crowd.unanswered).toBe(0);
  const bound = database.all<{ value: string; jobId: string }>('SELECT value, jobId FROM idempotencyKeys');
  expect(new Map(bound.map(({ value, jobId }) => [value, jobId]))).toEqual(crowd.jobs);
  expect(new Set(crowd.jobs.values()).size).toBe(crowd.jobs.size);
  expect(database.count('jobs')).toBe(crowd.jobs.size);
}

/** Expects that webhooks announced each job's real end at least once, and never a different end. */
function expectAnnounced({ received }: Receiver, jobs: readonly WireJob[]): void {
  const told = new Map<string, Set<string>>();
  for (const { body } of received) {
    const { id, status, charged_usd: charged } = body.data;
    told.set(id, (told.get(id) ?? new Set()).add(`${status} ${charged}`));
  }
  const truth = new Map(jobs.map((job) => [job.id, new Set([`${job.status} ${job.charged_usd}`])]));
  expect(told).toEqual(truth);
}

async function expectPaidOnce(
  api: ApiClient,
  database: DatabaseView,
  jobs: readonly WireJob[],
): Promise<void> {
  for (const job of jobs) {
    const isPaid = job.status === 'succeeded';
    const kinds = database.all('SELECT kind, amount FROM entries WHERE subject = ? ORDER BY id', job.id);
    expect(kinds).toEqual([
      { kind: 'hold', amount: 60_000 },
      { kind: 'release', amount: 60_000 },
      ...(isPaid ? [{ kind: 'charge', amount: 40_000 }] : []),
    ]);
    expect(job.charged_usd).toBe(isPaid ? 0.04 : 0);
  }
  const { balance, spent, held, toppedUp } = database.recomputed();
  expect(held).toBe(0);
  expect(database.all('SELECT toppedUp, spent, held FROM accounts')).toEqual([{ toppedUp, spent, held }]);
  const told = (await api.get('/balance')).json as WireBalance;
  expect([told.balance_usd, told.total_spent_usd].map((usd) => Math.round(usd * 1e6))).toEqual([
    balance,
    spent,
  ]);
}
