import { expect, test } from 'vitest';
import { confirmJob } from '../../db/queries/job-price.ts';
import { cancelUnsentJob, recordCleared, takeBackJob } from '../../db/queries/job-desk.ts';
import { wakeJobs } from '../../db/queries/job-callbacks.ts';
import { claimFirst, joinLines } from '../../db/queries/job-lines.ts';
import { moveTurn } from '../../db/queries/job-turns.ts';
import {
  abandonJob,
  acknowledgeJob,
  advanceJob,
  clearResult,
  renewLease,
  wakeJob,
} from '../../db/queries/jobs.ts';
import type { Queryable, Trx } from '../../db/schema.ts';
import type { JobRow, JobStage } from '../../db/schema/jobs.ts';
import { NOW, jobsOfAllKinds } from './any-job.ts';
import { TEST_DATABASE } from './database-url.ts';
import { useDatabase } from './use-database.ts';

/** A change to one job, with the jobs to which it applies and its effect. */
interface Change {
  readonly what: string;
  readonly make: (trx: Trx, job: JobRow) => Promise<unknown>;
  readonly mayHappen: (job: JobRow) => boolean;
  readonly differs: (job: JobRow) => Partial<JobRow>;
  /** Whether the change returns nothing. */
  readonly isSilent?: boolean;
}

const LATER = NOW + 5_000;
const OVER: readonly JobStage[] = ['settled', 'abandoned'];
const UNSENT: readonly JobStage[] = ['accepted', 'fetched', 'uploaded'];
const isOpen = ({ stage }: JobRow): boolean => !OVER.includes(stage);
const isLeased = ({ lease_until_ms: until }: JobRow): boolean => until !== null && until > NOW;
const waitsForConfirmation = ({ stage, asked_at_ms: asked, confirmed_at_ms: confirmed }: JobRow): boolean =>
  stage === 'fetched' && asked !== null && confirmed === null;
/** The values of these columns after a job's worker has given the job up: no trace of earlier workers remains. */
const FREED = {
  line: null,
  lease_owner: null,
  lease_until_ms: null,
  lost_leases: 0,
  woken_at_ms: null,
} as const;
const FRESH_STAGE = { attempts: 0, clean_attempts: 0, stage_since_ms: NOW } as const;
const woken = (job: JobRow): Partial<JobRow> => ({
  woken_at_ms: NOW,
  due_at_ms: isLeased(job) ? job.due_at_ms : Math.min(job.due_at_ms, NOW),
});
/** Returns the time that a step set, or the time at which the job was woken if that is earlier. */
const dueAt = (atMs: number, { woken_at_ms: wokenAtMs }: JobRow): number => Math.min(atMs, wokenAtMs ?? atMs);
const takenBack = (how: 'cancelled' | 'deleted', { taken_back: before }: JobRow): Partial<JobRow> => ({
  taken_back: before === 'deleted' ? before : how,
  updated_at_ms: NOW,
});

const CHANGES: readonly Change[] = [
  {
    what: 'a step brings its job to the next stage',
    make: (trx, job) => advanceJob(trx, job, { nowMs: NOW, patch: { stage: 'charged', output_url: '/new' } }),
    mayHappen: isOpen,
    differs: (job) => ({
      ...FREED,
      ...(job.stage === 'charged' ? {} : FRESH_STAGE),
      stage: 'charged',
      output_url: '/new',
      due_at_ms: dueAt(NOW, job),
      updated_at_ms: NOW,
    }),
  },
  {
    what: 'a step returns to its job later',
    make: (trx, job) => advanceJob(trx, job, { nowMs: NOW, patch: { due_at_ms: LATER } }),
    mayHappen: isOpen,
    differs: (job) => ({ ...FREED, due_at_ms: dueAt(LATER, job), updated_at_ms: NOW }),
  },
  ...[-1, 1].flatMap((off): Change[] => [
    {
      what: `a worker of another time records a step (${off})`,
      make: (trx, { id, fence }) =>
        advanceJob(trx, { id, fence: fence + off }, { nowMs: NOW, patch: { stage: 'charged' } }),
      mayHappen: () => false,
      differs: () => ({}),
    },
    {
      what: `a worker of another time renews its lease (${off})`,
      make: (trx, { id, fence }) => renewLease(trx, { id, fence: fence + off }, { nowMs: NOW, leaseMs: 700 }),
      mayHappen: () => false,
      differs: () => ({}),
    },
  ]),
  {
    what: 'a worker renews its lease',
    make: (trx, job) => renewLease(trx, job, { nowMs: NOW, leaseMs: 700 }),
    mayHappen: (job) => isOpen(job) && job.lease_owner !== null,
    differs: () => ({ lease_until_ms: NOW + 700, due_at_ms: NOW + 700, line: null }),
  },
  {
    what: 'the job is woken',
    make: (trx, { id }) => wakeJob(trx, { id }, NOW),
    mayHappen: isOpen,
    differs: woken,
  },
  {
    what: 'the job is woken by its id at the service',
    make: (trx, { service_job_id: id }) => wakeJob(trx, { serviceJobId: id ?? '' }, NOW),
    mayHappen: isOpen,
    differs: woken,
  },
  {
    what: 'the job is woken by a webhook',
    make: (trx, { id }) => wakeJobs(trx, [id, 'job_of_nobody'], NOW),
    mayHappen: isOpen,
    differs: woken,
    isSilent: true,
  },
  ...['11', null].map((messageId): Change => ({
    what: `the chat shows the reply (${messageId ?? 'its message is not known'})`,
    make: (trx, { id }) => acknowledgeJob(trx, { id, messageId, nowMs: NOW }),
    mayHappen: isOpen,
    differs: (job) => ({
      reply_message_id: messageId ?? job.reply_message_id,
      acknowledged_at_ms: job.acknowledged_at_ms ?? NOW,
      ...(job.stage === 'accepted' && job.acknowledged_at_ms === null && job.lease_owner === null
        ? { due_at_ms: NOW }
        : {}),
      updated_at_ms: NOW,
    }),
  })),
  {
    what: 'the chat does not show the reply',
    make: (trx, { id }) => abandonJob(trx, id, NOW),
    mayHappen: (job) => job.stage === 'accepted' && job.acknowledged_at_ms === null && !isLeased(job),
    differs: ({ fence }) => ({
      stage: 'abandoned',
      line: null,
      interaction_token: '',
      fence: fence + 1,
      lease_owner: null,
      lease_until_ms: null,
      settled_at_ms: NOW,
      updated_at_ms: NOW,
    }),
  },
  ...(['cancelled', 'deleted'] as const).flatMap((how): Change[] => [
    {
      what: `it is ${how} before anything was sent`,
      make: (trx, { id }) => cancelUnsentJob(trx, { id, takenBack: how, nowMs: NOW }),
      mayHappen: (job) =>
        UNSENT.includes(job.stage) ||
        (job.stage === 'submitting' && job.lease_owner === null && job.clean_attempts >= job.attempts),
      differs: ({ fence }) => ({
        ...FREED,
        ...FRESH_STAGE,
        stage: 'collected',
        outcome: 'failed',
        failure: '{"reason":"cancelled"}',
        charged_micros: 0 as JobRow['charged_micros'],
        taken_back: how,
        fence: fence + 1,
        due_at_ms: NOW,
        updated_at_ms: NOW,
      }),
    },
    {
      what: `it is ${how} while the service has it, or later`,
      make: (trx, { id }) => takeBackJob(trx, { id, takenBack: how, nowMs: NOW }),
      mayHappen: ({ stage, lease_owner: owner }) => {
        if (stage === 'abandoned') return false;
        const isShown =
          stage === 'posted' || stage === 'settled' || (stage === 'collected' && owner !== null);
        return how === 'deleted' || !isShown;
      },
      differs: (job) => takenBack(how, job),
    },
  ]),
  ...[0, 1_000].map((turn): Change => ({
    what: `its member says yes to the price, and it is turn ${turn}`,
    make: (trx, { id }) => confirmJob(trx, { id, turn, nowMs: NOW }),
    mayHappen: (job) => waitsForConfirmation(job) && job.taken_back === null,
    differs: (job) => ({
      ...FREED,
      ...FRESH_STAGE,
      confirmed_at_ms: NOW,
      turn: Math.max(job.turn, turn),
      fence: job.fence + 1,
      due_at_ms: NOW,
      updated_at_ms: NOW,
    }),
  })),
  {
    what: 'the job leaves nothing in the chat or on the disk',
    make: (trx, { id }) => recordCleared(trx, id),
    mayHappen: () => true,
    differs: () => ({ reply_message_id: null, result_message_id: null, result_path: null, chat_path: null }),
    isSilent: true,
  },
  {
    what: 'the result of the job is no longer kept',
    make: (trx, { id }) => clearResult(trx, id),
    mayHappen: () => true,
    differs: () => ({ result_path: null, chat_path: null }),
    isSilent: true,
  },
  {
    what: 'the job gets another turn',
    make: (trx, { id }) => moveTurn(trx, id, 777),
    mayHappen: () => true,
    differs: () => ({ turn: 777 }),
    isSilent: true,
  },
];

async function allJobs(db: Queryable): Promise<Map<string, JobRow>> {
  const rows = await db.selectFrom('jobs').selectAll().execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** On PostgreSQL, queries take several times as long, so only every third kind of job is tested. */
const KINDS = jobsOfAllKinds().filter((_, index) => TEST_DATABASE === 'sqlite' || index % 3 === 0);

/** Runs `work` in a transaction of its own, with jobs of all kinds. */
async function withAllKinds(work: (trx: Trx, jobs: Map<string, JobRow>) => Promise<void>): Promise<void> {
  const db = await useDatabase();
  await db.transaction('guild:guild', async (trx) => {
    await trx.insertInto('jobs').values(KINDS).execute();
    await work(trx, await allJobs(trx));
  });
}

test.each(CHANGES)(
  'if $what, it has the documented effect on the jobs that it may change, and on no others',
  async ({ make, mayHappen, differs, isSilent }) => {
    await withAllKinds(async (trx, before) => {
      const expected = new Map(before);
      for (const [index, job] of [...before.values()].entries()) {
        // Only half of the jobs are changed; the others must stay as they are.
        if (index % 2 === Math.floor(index / 2) % 2) continue;
        if (mayHappen(job)) expected.set(job.id, { ...job, ...differs(job) });
        const told = await make(trx, job);
        const { id, ...rest } = expected.get(job.id) ?? job;
        if (typeof told === 'boolean') expect(told, `of ${JSON.stringify(job)}`).toBe(mayHappen(job));
        else if (!isSilent)
          expect(told, `of ${JSON.stringify(job)}`).toEqual(mayHappen(job) ? { id, ...rest } : undefined);
      }
      const after = await allJobs(trx);
      for (const [id, job] of before)
        expect(after.get(id), `of ${JSON.stringify(job)}`).toEqual(expected.get(id));
    });
  },
);

const LOST_MAX = 3;

/** Returns the number of leases that the job has lost, counting its current lease (if any) as lost. */
function lostOf({ lost_leases: lost, lease_owner: owner }: JobRow): number {
  return lost + (owner === null ? 0 : 1);
}

function lineOf(job: JobRow): string {
  if (lostOf(job) === LOST_MAX - 1) return 'last try';
  if (waitsForConfirmation(job)) return 'asking';
  return job.stage === 'submitting' ? `submitting ${job.capability}` : job.stage;
}

test('each due job is put into the line of its stage, and each line is served in its order', async () => {
  await withAllKinds(async (trx, before) => {
    for (let call = 0; call < 5; call++) await joinLines(trx, NOW, LOST_MAX);
    const inLine = new Map(
      [...before.values()].map((job) => {
        const joins = isOpen(job) && job.line === null && job.due_at_ms <= NOW;
        return [job.id, joins ? { ...job, line: lineOf(job) } : job];
      }),
    );
    expect(await allJobs(trx)).toEqual(inLine);

    const lines = ['asking', 'submitting lip_sync', 'last try', 'posted', 'fetched', 'submitting photo_swap'];
    const waiting = lines.flatMap((line) =>
      [...inLine.values()]
        .filter((job) => isOpen(job) && job.line === line)
        .toSorted((one, other) => one.turn - other.turn),
    );
    expect(waiting.length).toBeGreaterThan(10);
    for (const job of waiting) {
      const expected = {
        ...job,
        line: null,
        lease_owner: 'worker',
        lease_until_ms: NOW + 700,
        due_at_ms: NOW + 700,
        woken_at_ms: null,
        fence: job.fence + 1,
        attempts: job.attempts + 1,
        submit_from_ms: job.stage === 'submitting' ? (job.submit_from_ms ?? NOW) : job.submit_from_ms,
        lost_leases: lostOf(job),
        updated_at_ms: NOW,
      };
      inLine.set(job.id, expected);
      expect(await claimFirst(trx, { nowMs: NOW, leaseMs: 700, owner: 'worker', lines })).toEqual(expected);
    }
    expect(await claimFirst(trx, { nowMs: NOW, leaseMs: 700, owner: 'worker', lines })).toBeUndefined();
    expect(await allJobs(trx)).toEqual(inLine);
  });
});
