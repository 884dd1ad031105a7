import { beforeEach, describe, expect, test } from 'vitest';
import { listCharges } from '../../db/queries/list-charges.ts';
import { listJobsOfCallbacks } from '../../db/queries/job-callbacks.ts';
import { hasOpenRetry, listJobs, listUncleared } from '../../db/queries/job-desk.ts';
import { listDurations } from '../../db/queries/list-durations.ts';
import { countAtService, isAnybodyIn, listLine, nextDueAtMs } from '../../db/queries/job-lines.ts';
import { isAsked } from '../../db/queries/job-price.ts';
import { listUnsentOfGuild, turnNow } from '../../db/queries/job-turns.ts';
import {
  countAllOpenJobs,
  countOpenJobs,
  findJobByResultMessage,
  isUnderWay,
  lastAcceptedAtMs,
  listOldResults,
} from '../../db/queries/jobs.ts';
import { micros } from '../../src/base/money.ts';
import type { Database } from '../../db/database.ts';
import type { Queryable } from '../../db/schema.ts';
import type { JobRow, JobStage } from '../../db/schema/jobs.ts';
import { STAGES, jobsOfAllKinds } from './any-job.ts';
import { useDatabase } from './use-database.ts';

const ALL = 10_000;
const GUILDS = ['guild_1', 'guild_2', 'guild_3'];
const USERS = ['user_1', 'user_2', 'user_3'];
const CAPABILITIES = ['photo_swap', 'lip_sync', 'avatar'];

let db: Database;
let kysely: Queryable;
let jobs: readonly JobRow[];

beforeEach(async () => {
  db = await useDatabase();
  kysely = db.kysely;
  await db.transaction('rows', (trx) => trx.insertInto('jobs').values(jobsOfAllKinds()).execute());
  jobs = await kysely.selectFrom('jobs').selectAll().execute();
});

const isOpen = ({ stage }: JobRow): boolean => stage !== 'settled' && stage !== 'abandoned';
const waitsForPrice = (job: JobRow): boolean => job.asked_at_ms !== null && job.confirmed_at_ms === null;
const isIn = (...stages: readonly JobStage[]) => {
  return ({ stage }: JobRow): boolean => stages.includes(stage);
};
const isUnsent = isIn('accepted', 'fetched', 'uploaded', 'submitting');
/** Returns the matching jobs, sorted by the number from `inOrderOf`; negate it for descending order. */
function those(fits: (job: JobRow) => boolean, inOrderOf: (job: JobRow) => number): JobRow[] {
  return jobs.filter(fits).toSorted((one, other) => inOrderOf(one) - inOrderOf(other));
}
const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

describe('jobs of all kinds', () => {
  test('the lists of members and moderators show the jobs of the server, without deleted ones, newest first', async () => {
    for (const guildId of GUILDS) {
      for (const userId of [undefined, ...USERS]) {
        for (const which of ['open', 'ended'] as const) {
          const isOver = isIn('posted', 'settled');
          const expected = those(
            (job) =>
              job.guild_id === guildId &&
              (userId === undefined || job.user_id === userId) &&
              job.stage !== 'abandoned' &&
              isOver(job) === (which === 'ended') &&
              job.taken_back !== 'deleted',
            (job) => -job.accepted_at_ms,
          );
          const of = { guildId, which, ...(userId === undefined ? {} : { userId }) };
          expect(await listJobs(kysely, { ...of, offset: 0, limit: ALL })).toEqual(expected);
          expect(await listJobs(kysely, { ...of, offset: 2, limit: 3 })).toEqual(expected.slice(2, 5));
        }
      }
    }
  });

  test('a job has a running retry while one of its retries is open', async () => {
    for (const stage of STAGES) {
      await kysely.deleteFrom('jobs').execute();
      const [one] = jobsOfAllKinds().filter((job) => job.stage === stage);
      if (!one) throw new Error('There is no such job');
      await kysely
        .insertInto('jobs')
        .values({ ...one, retry_of: 'job_first' })
        .execute();
      expect(await hasOpenRetry(kysely, 'job_first'), `while the other is ${stage}`).toBe(
        stage !== 'settled' && stage !== 'abandoned',
      );
      expect(await hasOpenRetry(kysely, 'job_second')).toBe(false);
    }
  });

  test('the jobs of a server, of a member and of all servers are counted while they are open', async () => {
    for (const guildId of GUILDS) {
      for (const userId of USERS) {
        const count = (fits: (job: JobRow) => boolean): number =>
          those(
            (job) => isOpen(job) && fits(job),
            () => 0,
          ).length;
        expect(await countOpenJobs(kysely, { guildId })).toBe(count((job) => job.guild_id === guildId));
        expect(await countOpenJobs(kysely, { userId })).toBe(count((job) => job.user_id === userId));
        expect(await countOpenJobs(kysely, { guildId, userId })).toBe(
          count((job) => job.guild_id === guildId && job.user_id === userId),
        );
        const [newest] = those(
          (job) => job.guild_id === guildId && job.user_id === userId && job.stage !== 'abandoned',
          (job) => -job.accepted_at_ms,
        );
        expect(await lastAcceptedAtMs(kysely, { guildId, userId })).toBe(newest?.accepted_at_ms);
      }
    }
    const going = those(
      (job) => isOpen(job) && !waitsForPrice(job),
      () => 0,
    ).length;
    expect(await countAllOpenJobs(kysely, ALL)).toBe(going);
    expect(await countAllOpenJobs(kysely, going + 1)).toBe(going);
    expect(await countAllOpenJobs(kysely, going - 1)).toBe(going - 1);
  });

  test('the jobs at the service are counted for each capability, up to a limit', async () => {
    for (const capability of CAPABILITIES) {
      const there = those(
        (job) => job.stage === 'submitted' && job.capability === capability,
        () => 0,
      ).length;
      for (const limit of [1, there + 1, ALL]) {
        expect(await countAtService(kysely, capability, limit)).toBe(Math.min(there, limit));
      }
    }
  });

  test('jobs wait in line by their turns, and the next job falls due by its time', async () => {
    for (const line of [...STAGES, 'submitting lip_sync', 'asking']) {
      const expected = those(
        (job) => isOpen(job) && job.line === line,
        (job) => job.turn,
      );
      expect(await listLine(kysely, line, ALL)).toEqual(expected);
      expect(await listLine(kysely, line, 2)).toEqual(expected.slice(0, 2));
      expect(await isAnybodyIn(kysely, line)).toBe(expected.length > 0);
    }
    const [next] = those(
      (job) => isOpen(job) && job.line === null,
      (job) => job.due_at_ms,
    );
    expect(await nextDueAtMs(kysely)).toBe(next?.due_at_ms);
  });

  test('jobs whose turn it is have not been sent, and do not wait for a confirmation', async () => {
    const waits = (job: JobRow): boolean => isUnsent(job) && !waitsForPrice(job);
    for (const guildId of GUILDS) {
      const expected = those(
        (job) => waits(job) && job.guild_id === guildId,
        (job) => job.turn,
      );
      const told = expected.map(({ id, user_id: userId, turn }) => ({ id, userId, turn }));
      expect(await listUnsentOfGuild(kysely, guildId, ALL)).toEqual(told);
      expect(await listUnsentOfGuild(kysely, guildId, 2)).toEqual(told.slice(0, 2));
    }
    expect(await turnNow(kysely)).toBe(those(waits, (job) => job.turn)[0]?.turn);
    const ids = idsOf(those(waits, () => 0));
    await kysely.deleteFrom('jobs').where('id', 'in', ids).execute();
    const left = jobs.filter(({ id }) => !ids.includes(id));
    expect(await turnNow(kysely)).toBe(Math.max(...left.map(({ turn }) => turn)) + 1);
    await kysely.deleteFrom('jobs').execute();
    expect(await turnNow(kysely)).toBe(1);
  });

  test('each job is reported as running, or as waiting for a confirmation, while that is true', async () => {
    for (const job of jobs) {
      const isKnown = isIn('collected', 'posted', 'settled', 'abandoned')(job);
      expect(await isUnderWay(kysely, job.id), `of ${JSON.stringify(job)}`).toBe(!isKnown);
      const isWaiting = job.stage === 'fetched' && waitsForPrice(job) && job.taken_back === null;
      expect(await isAsked(kysely, job.id), `of ${JSON.stringify(job)}`).toBe(isWaiting);
    }
    expect(await isUnderWay(kysely, 'job_of_nobody')).toBe(false);
  });

  test('old results and the remains of deleted jobs are found once the jobs are settled', async () => {
    const settled = those(
      (job) => job.stage === 'settled',
      (job) => job.settled_at_ms ?? 0,
    );
    const middle = settled[Math.floor(settled.length / 2)]?.settled_at_ms ?? 0;
    for (const beforeMs of [middle, middle + 1]) {
      const old = settled.filter((job) => job.result_path !== null && (job.settled_at_ms ?? 0) < beforeMs);
      const found = await listOldResults(kysely, { beforeMs, limit: ALL });
      expect(found).toHaveLength(old.length);
      expect(found).toEqual(
        expect.arrayContaining(
          old.map(({ id, result_path: path, chat_path: chatPath }) => ({ id, path, chatPath })),
        ),
      );
      expect(await listOldResults(kysely, { beforeMs, limit: 2 })).toHaveLength(2);
    }
    const left = settled.filter(
      (job) => job.taken_back === 'deleted' && (job.reply_message_id !== null || job.result_path !== null),
    );
    expect(left.length).toBeGreaterThan(2);
    expect(idsOf(await listUncleared(kysely, ALL)).toSorted()).toEqual(idsOf(left).toSorted());
    expect(await listUncleared(kysely, 2)).toHaveLength(2);
  });

  test('a job is found by the message of its result and by the path of its webhooks', async () => {
    for (const job of jobs.slice(0, 50)) {
      expect(await findJobByResultMessage(kysely, job.result_message_id ?? '')).toEqual(job);
    }
    expect(await findJobByResultMessage(kysely, 'message_of_nobody')).toBeUndefined();
    const some = those(
      (job) => idsOf(jobs).indexOf(job.id) % 7 === 0,
      () => 0,
    );
    const tokens = [...some.map((job) => job.callback_token), 'token_of_nobody'];
    const found = await db.transaction('rows', (trx) => listJobsOfCallbacks(trx, tokens));
    expect(found.toSorted((one, other) => one.id.localeCompare(other.id))).toEqual(
      some
        .map(({ id, interaction_id, callback_token, service_job_id, stage }) => {
          return { id, interaction_id, callback_token, service_job_id, stage };
        })
        .toSorted((one, other) => one.id.localeCompare(other.id)),
    );
  });

  test('prices and times are learned from the last successes of the capability alone', async () => {
    for (const capability of CAPABILITIES) {
      const successes = those(
        (job) => job.capability === capability && job.outcome === 'succeeded' && job.stage === 'settled',
        (job) => -(job.settled_at_ms ?? 0),
      );
      const charges = successes.flatMap(({ charged_micros: charged }) =>
        charged !== null && charged > 0 ? [{ charged, rateCard: null }] : [],
      );
      expect(await listCharges(kysely, capability)).toEqual(charges);
      const durations = successes.map((job) => ({
        wholeMs:
          (job.settled_at_ms ?? 0) -
          job.accepted_at_ms -
          (job.asked_at_ms !== null && job.confirmed_at_ms !== null
            ? job.confirmed_at_ms - job.asked_at_ms
            : 0),
        serviceMs:
          (job.finished_at_ms ?? job.settled_at_ms ?? 0) - (job.submitted_at_ms ?? job.accepted_at_ms),
      }));
      expect(await listDurations(kysely, capability)).toEqual(durations);
    }
  });

  test('the last 100 charges and the last 50 times count', async () => {
    const [one] = jobsOfAllKinds();
    if (!one) throw new Error('There is no job');
    const settled = {
      stage: 'settled',
      outcome: 'succeeded',
      capability: 'avatar',
      asked_at_ms: null,
    } as const;
    const many = Array.from({ length: 120 }, (_, index) => {
      const at = {
        accepted_at_ms: 0,
        submitted_at_ms: 0,
        finished_at_ms: index,
        settled_at_ms: 1_000 + index,
      };
      return { ...one, ...unlike(index), ...settled, ...at, charged_micros: micros(1_000 + index) };
    });
    await kysely.insertInto('jobs').values(many).execute();

    const charges = await listCharges(kysely, 'avatar');
    expect(charges.map(({ charged }) => charged)).toEqual(Array.from({ length: 100 }, (_, at) => 1_119 - at));
    const durations = await listDurations(kysely, 'avatar');
    expect(durations.map(({ wholeMs }) => wholeMs)).toEqual(
      Array.from({ length: 50 }, (_, at) => 1_119 - at),
    );
  });
});

/** Returns values for the columns that must differ between jobs. */
function unlike(
  index: number,
): Pick<JobRow, 'id' | 'interaction_id' | 'idempotency_key' | 'callback_token' | 'service_job_id'> {
  const name = `late_${index}`;
  return {
    id: name,
    interaction_id: name,
    idempotency_key: name,
    callback_token: name,
    service_job_id: name,
  };
}
