import { describe, expect, test } from 'vitest';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import { unreachable } from '../../../../src/base/errors.ts';
import { micros, parseUsd } from '../../../../src/base/money.ts';
import { Ledger } from '../../../../src/bot/money/ledger/ledger.ts';
import { anOrigin } from '../../../helpers/an-origin.ts';
import { TEST_DATABASE } from '../../../db/database-url.ts';
import { jobsOfAllKinds } from '../../../db/any-job.ts';
import { type Pipeline, usePipeline } from '../use-pipeline.ts';
import type { JobDesk } from '../../../../src/bot/jobs/desk/job-desk.ts';
import type { CallOrigin } from '../../../../src/bot/jobs/call-origin.ts';

type Action = Exclude<keyof JobDesk, 'list'>;

const ACTIONS: readonly Action[] = ['show', 'retry', 'cancel', 'confirm', 'remove', 'report'];
const OWNER = anOrigin({ guildId: 'guild_1', userId: 'user_1' });
const MODERATOR = anOrigin({ guildId: 'guild_1', userId: 'user_9', isModerator: true });
const STRANGER = anOrigin({ guildId: 'guild_1', userId: 'user_9' });
const ELSEWHERE = anOrigin({ guildId: 'guild_3', userId: 'user_1', isModerator: true });

/** Creates jobs of all kinds for one member, or every `every`th of them. An amount is set aside for each open job. */
async function useDesk(every = 1): Promise<Pipeline & { readonly before: readonly JobRow[] }> {
  const limits = { openPerGuildMax: 10_000, openPerMemberMax: 10_000, openMax: 10_000 };
  const pipeline = await usePipeline({ start: false, limits });
  const { db, clock } = pipeline;
  const defaultBudget = { limit: parseUsd(1_000), period: 'total', timeZone: 'UTC' } as const;
  const ledger = new Ledger({ clock, defaultBudget });
  // Two neighbouring jobs differ only in their attempts, so one of them is enough here.
  const half = jobsOfAllKinds().filter((_, index) => index % 2 === Math.floor(index / 2) % 2);
  const some = half.filter((_, index) => index % every === 0);
  const jobs = some.map((job) => ({
    ...job,
    guild_id: 'guild_1',
    user_id: 'user_1',
    retry_of: null,
  }));
  await db.transaction('rows', async (trx) => {
    await trx.insertInto('jobs').values(jobs).execute();
    for (const { id: subject, stage } of jobs) {
      if (stage === 'settled' || stage === 'abandoned') continue;
      const whose = { guildId: 'guild_1', userId: 'user_1', roleIds: [], capability: 'photo_swap' } as const;
      await ledger.hold(trx, { ...whose, subject, amount: micros(50), rateCard: '{}' });
    }
  });
  return { ...pipeline, before: await db.kysely.selectFrom('jobs').selectAll().execute() };
}

const isSeen = (job: JobRow): boolean => job.taken_back !== 'deleted' && job.stage !== 'abandoned';
const isEnded = ({ stage }: JobRow): boolean => ['collected', 'posted', 'settled'].includes(stage);
const isUnsent = (job: JobRow): boolean =>
  ['accepted', 'fetched', 'uploaded'].includes(job.stage) ||
  (job.stage === 'submitting' && job.lease_owner === null && job.clean_attempts >= job.attempts);
const isAsked = ({ stage, asked_at_ms: asked, confirmed_at_ms: confirmed }: JobRow): boolean =>
  stage === 'fetched' && asked !== null && confirmed === null;

/** The outcome of each action in one or two words, for a member who may take that action. */
const RULES: Readonly<Record<Action, (job: JobRow) => string>> = {
  show: () => 'shown',
  retry: (job) => {
    if (!isEnded(job)) return 'still_running';
    return job.failure?.includes('face_not_detected') ? 'pointless' : 'retried';
  },
  cancel: (job) => {
    if (isUnsent(job)) return 'took_back before_sending';
    const isShown = job.stage === 'collected' ? job.lease_owner !== null : isEnded(job);
    return isShown ? 'ended' : `took_back ${isEnded(job) ? 'ended' : 'at_service'}`;
  },
  confirm: (job) => {
    if (job.taken_back !== null) return 'ended';
    if (isAsked(job)) return 'confirmed';
    return job.confirmed_at_ms === null ? 'ended' : 'confirmed before';
  },
  remove: (job) => {
    if (isUnsent(job)) return 'took_back before_sending';
    return `took_back ${isEnded(job) ? 'ended' : 'at_service'}`;
  },
  report: (job) => (job.outcome === 'succeeded' && job.taken_back === null ? 'reported' : 'no_result'),
};

async function act(desk: JobDesk, action: Action, who: CallOrigin, job: JobRow): Promise<string> {
  const done = await desk[action]({ ...who, interactionId: `again_${job.id}` }, job.id);
  switch (done.outcome) {
    case 'refused':
      return done.why;
    case 'took_back':
      return `took_back ${done.when}`;
    case 'confirmed':
      return done.isNew ? 'confirmed' : 'confirmed before';
    case 'retried':
      return done.intake.accepted ? 'retried' : done.intake.refusal.reason;
    case 'shown':
    case 'reported':
      return done.outcome;
    default:
      return unreachable(done);
  }
}

describe('with jobs of all kinds', () => {
  test.each([
    ['in another server', ELSEWHERE],
    ['somebody else', STRANGER],
  ])('nobody %s may do anything but report a result that they can see', async (where, who) => {
    const { jobs, db, before } = await useDesk(5);
    for (const job of before) {
      for (const action of ACTIONS) {
        const isHidden = who === ELSEWHERE || !isSeen(job);
        const why = action === 'confirm' ? 'not_the_asker' : 'not_yours';
        const answer = action === 'report' ? RULES.report(job) : why;
        expect(await act(jobs.desk, action, who, job), `${action} ${where} of ${JSON.stringify(job)}`).toBe(
          isHidden ? 'not_found' : answer,
        );
      }
    }
    expect(await db.kysely.selectFrom('jobs').selectAll().execute()).toEqual(before);
  });

  test.each(ACTIONS.flatMap((action) => [[action, OWNER] as const, [action, MODERATOR] as const]))(
    '%s does what the stage allows, for the member and for moderators',
    async (action, who) => {
      const { jobs, db, before } = await useDesk(who === OWNER && TEST_DATABASE === 'sqlite' ? 1 : 5);
      const voided: string[] = [];
      for (const job of before) {
        const isOther = action === 'confirm' && who === MODERATOR;
        const answer = !isSeen(job) ? 'not_found' : isOther ? 'not_the_asker' : RULES[action](job);
        expect(await act(jobs.desk, action, who, job), `${action} of ${JSON.stringify(job)}`).toBe(answer);
        if (answer === 'took_back before_sending') voided.push(job.id);
      }
      // Only holds of jobs that were never sent are released, because only those jobs are certain to cost nothing.
      const holds = await db.kysely
        .selectFrom('holds')
        .select('subject')
        .where('state', '=', 'voided')
        .execute();
      expect(holds.map(({ subject }) => subject).toSorted()).toEqual(voided.toSorted());
    },
  );

  test('the view of a job shows what it is, and shows an outcome or a retry only when the job has ended', async () => {
    const { jobs, before } = await useDesk();
    for (const job of before.filter(isSeen)) {
      const shown = await jobs.desk.show(OWNER, job.id);
      const messageId = job.result_message_id ?? job.reply_message_id;
      const failure: unknown = job.failure === null ? null : JSON.parse(job.failure);
      expect(shown).toMatchObject({
        outcome: 'shown',
        link: null,
        job: {
          jobId: job.id,
          capability: job.capability,
          userId: 'user_1',
          acceptedAtMs: job.accepted_at_ms,
          stage: job.stage,
          outcome: isEnded(job) ? job.outcome : null,
          failure,
          takenBack: job.taken_back,
          charged: job.charged_micros,
          isKept: job.result_path !== null,
          askedPrice: isAsked(job) ? job.quote_micros : null,
          undelivered: job.undelivered,
          message: { guildId: 'guild_1', channelId: job.channel_id, messageId },
          canRetry: RULES.retry(job) === 'retried',
        },
      });
    }
  });
});
