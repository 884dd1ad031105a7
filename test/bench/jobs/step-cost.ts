import { join } from 'node:path';
import { type Database, openDatabase } from '../../../db/database.ts';
import { claimFirst, joinLines, nextDueAtMs } from '../../../db/queries/job-lines.ts';
import { advanceJob, insertJob } from '../../../db/queries/jobs.ts';
import { takeTurn } from '../../../src/bot/jobs/run/take-turn.ts';
import { aJob } from '../../db/a-job.ts';
import { quantile } from '../quantile.ts';
import { benchFolder } from './bench-folder.ts';

/**
 * The cost of the worker's database work for one step: claiming the next job, finding the next due time and storing the
 * result.
 */
export interface StepCostBench {
  readonly stepsEach: number;
  readonly p50MsAt100Open: number;
  readonly p50MsAt10000Open: number;
  readonly ratio: number;
  /**
   * The cost of accepting a command with 10,000 open jobs, divided by that with 100. Accepting means giving the job a
   * turn among all waiting jobs, and inserting its row.
   */
  readonly intakeRatio: number;
}

interface Place {
  readonly db: Database;
  readonly stepMs: number[];
  readonly intakeMs: number[];
}

const ROUND = 50;
const CLAIM = { leaseMs: 60_000, owner: 'bench', lines: ['submitted', 'finished', 'fetched'] };

/**
 * Measures the same steps alternately with 100 and with 10,000 open jobs, so that other load on the machine affects
 * both.
 */
export async function benchStepCost(stepsEach: number): Promise<StepCostBench> {
  await using folder = await benchFolder();
  await using few = await openDatabase({ url: `sqlite:${join(folder.path, 'few.db')}` });
  await using many = await openDatabase({ url: `sqlite:${join(folder.path, 'many.db')}` });
  await fill(few, 100);
  await fill(many, 10_000);
  const places: readonly [Place, Place] = [
    { db: few, stepMs: [], intakeMs: [] },
    { db: many, stepMs: [], intakeMs: [] },
  ];
  for (let done = -ROUND; done < stepsEach; done += ROUND) {
    for (const place of places) {
      for (let index = 0; index < ROUND; index++) await measure(place, `${done}_${index}`);
      if (done < 0) place.stepMs.length = place.intakeMs.length = 0;
    }
  }
  const [p50MsAt100Open, p50MsAt10000Open] = places.map(({ stepMs }) => quantile(stepMs, 0.5));
  const intake = places.map(({ intakeMs }) => quantile(intakeMs, 0.5));
  return {
    stepsEach,
    p50MsAt100Open: p50MsAt100Open ?? NaN,
    p50MsAt10000Open: p50MsAt10000Open ?? NaN,
    ratio: (p50MsAt10000Open ?? NaN) / (p50MsAt100Open ?? NaN),
    intakeRatio: (intake[1] ?? NaN) / (intake[0] ?? NaN),
  };
}

/**
 * Inserts open jobs: half of them wait for a free job slot, and half are at the service. They belong to as many guilds
 * as the limits allow.
 */
async function fill(db: Database, open: number): Promise<void> {
  await db.transaction('guild:guild', async (trx) => {
    for (let index = 0; index < open; index++) {
      const guild = `guild_${index % Math.ceil(open / 20)}`;
      const isWaiting = index % 2 === 0;
      await insertJob(
        trx,
        aJob(`open${index}`, {
          guild_id: guild,
          turn: index,
          stage: isWaiting ? 'uploaded' : 'submitted',
          due_at_ms: isWaiting ? 0 : Number.MAX_SAFE_INTEGER,
          service_job_id: isWaiting ? null : `srv_${index}`,
        }),
      );
    }
  });
  for (let joined = 0; joined < open; joined += 200) await joinLines(db.kysely, 1);
}

async function measure({ db, stepMs, intakeMs }: Place, name: string): Promise<void> {
  const nowMs = Date.now();
  const began = performance.now();
  await db.transaction('guild:guild', async (trx) => {
    const turn = await takeTurn(trx, { guildId: `guild_${name}`, userId: 'user' });
    const row = aJob(name, { guild_id: `guild_${name}`, turn, stage: 'fetched', due_at_ms: nowMs });
    await insertJob(trx, row);
  });
  const stored = performance.now();
  await joinLines(db.kysely, nowMs);
  const claimed = await claimFirst(db.kysely, { ...CLAIM, nowMs });
  if (claimed?.id !== `job_${name}`) throw new Error('Another job was first in line');
  await db.transaction('guild:guild', (trx) =>
    advanceJob(trx, claimed, { nowMs, patch: { stage: 'settled' } }),
  );
  await nextDueAtMs(db.kysely);
  stepMs.push(performance.now() - stored);
  intakeMs.push(stored - began);
}
