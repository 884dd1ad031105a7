import { expect, test } from 'vitest';
import {
  abandonJob,
  acknowledgeJob,
  advanceJob,
  claimDueJob,
  countAllOpenJobs,
  countOpenJobs,
  findJob,
  findJobByCallbackToken,
  findJobByInteraction,
  findJobByServiceJobId,
  forgetResult,
  insertJob,
  lastAcceptedAtMs,
  listOldResults,
  listOpenJobs,
  nextDueAtMs,
  renewLease,
  typicalDurationMs,
  wakeJob,
} from '../../db/queries/jobs.ts';
import {
  deleteConsentsOfMember,
  findAvatarConsents,
  listAvatarConsents,
  listNeverSwap,
  putAvatarConsent,
} from '../../db/queries/consents.ts';
import { findFaceByName, listFaces, setDefaultFace } from '../../db/queries/faces.ts';
import {
  deleteRuleEntry,
  findGuildRules,
  listRuleEntries,
  putRuleEntry,
  renameBlockedMember,
} from '../../db/queries/guild-rules.ts';
import {
  hasJobsLeft,
  listHoldMembers,
  listJobsOfMember,
  listRestingJobs,
  pseudonymiseHolds,
  totalsOfMember,
  withdrawJobs,
} from '../../db/queries/personal-data.ts';
import { claimRemoval, listDepartures } from '../../db/queries/removals.ts';
import { listOpenHolds } from '../../db/queries/holds.ts';
import { freezeRate, reserveRate } from '../../db/queries/rate-log.ts';
import {
  closeDeliveriesOfJob,
  insertDelivery,
  listDeliveriesOfJob,
  purgeDeliveries,
} from '../../db/queries/webhook-deliveries.ts';
import type { Trx } from '../../db/schema.ts';
import { FakeClock } from '../../src/base/fake-clock.ts';
import { micros } from '../../src/base/money.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { DOLLAR_A_DAY, aHold } from '../ledger/a-hold.ts';
import { aJob } from './a-job.ts';
import { slowSteps, useQueryPlans } from './use-query-plans.ts';

const CLAIM = { id: 'job_a', fence: 1 };
const NOW = { nowMs: 2000 };

const jobQueries: Record<string, (trx: Trx) => Promise<unknown>> = {
  insertJob: (trx) => insertJob(trx, aJob('a')),
  claimDueJob: (trx) => claimDueJob(trx, { ...NOW, leaseMs: 1000, owner: 'w' }),
  advanceJob: (trx) => advanceJob(trx, CLAIM, { ...NOW, patch: { stage: 'fetched' } }),
  renewLease: (trx) => renewLease(trx, CLAIM, { ...NOW, leaseMs: 1000 }),
  wakeJobById: (trx) => wakeJob(trx, { id: 'job_a' }, 2000),
  wakeJobByServiceJobId: (trx) => wakeJob(trx, { serviceJobId: 's' }, 2000),
  acknowledgeJob: (trx) => acknowledgeJob(trx, { id: 'job_a', messageId: null, ...NOW }),
  abandonJob: (trx) => abandonJob(trx, 'job_a', 2000),
  findJob: (trx) => findJob(trx, 'job_a'),
  findJobByInteraction: (trx) => findJobByInteraction(trx, 'i'),
  findJobByCallbackToken: (trx) => findJobByCallbackToken(trx, 'c'),
  findJobByServiceJobId: (trx) => findJobByServiceJobId(trx, 's'),
  countOpenJobs: (trx) => countOpenJobs(trx, { guildId: 'g', userId: 'u' }),
  typicalDurationMs: (trx) => typicalDurationMs(trx, 'photo_swap'),
  listOldResults: (trx) => listOldResults(trx, { beforeMs: 1, limit: 1 }),
  forgetResult: (trx) => forgetResult(trx, 'job_a'),
};

const otherQueries: Record<string, (trx: Trx) => Promise<unknown>> = {
  listOpenHolds: (trx) => listOpenHolds(trx, { createdBeforeMs: 1, limit: 1 }),
  insertDelivery: (trx) =>
    insertDelivery(trx, { delivery_id: 'd', service_job_id: 's', body: Buffer.of(1), received_at_ms: 1 }),
  listDeliveriesOfJob: (trx) => listDeliveriesOfJob(trx, { serviceJobId: 's', callbackToken: 'c' }, 10),
  closeDeliveriesOfJob: (trx) => closeDeliveriesOfJob(trx, 'c', 1),
  purgeDeliveries: (trx) => purgeDeliveries(trx, { beforeMs: 1, limit: 1 }),
  reserveRate: (trx) => reserveRate(trx, { keyId: 'k', nowMs: 1, windowMs: 1, limit: 1 }),
  freezeRate: (trx) => freezeRate(trx, 'k', 1),
};

const MEMBER = { kind: 'member', subjectId: 'u', untilMs: 1 } as const;
const GUILD = { kind: 'guild', subjectId: 'g', untilMs: 1 } as const;
const PAGE = { nowMs: 1, limit: 1 };
const ROW = { guild_id: 'g', kind: 'role', target: 'r', effect: 'allow' } as const;
const CONSENT = {
  guild_id: 'g',
  owner_id: 'o',
  user_id: 'u',
  is_allowed: 1,
  given_at_ms: 1,
  text_version: 't',
};

const peopleQueries: Record<string, (trx: Trx) => Promise<unknown>> = {
  lastAcceptedAtMs: (trx) => lastAcceptedAtMs(trx, { guildId: 'g', userId: 'u' }),
  findGuildRules: (trx) => findGuildRules(trx, 'g'),
  listRuleEntries: (trx) => listRuleEntries(trx, 'g', 10),
  putRuleEntry: (trx) => putRuleEntry(trx, ROW),
  deleteRuleEntry: (trx) => deleteRuleEntry(trx, { guildId: 'g', kind: 'role', target: 'r' }),
  renameBlockedMember: (trx) => renameBlockedMember(trx, 'u', 'gone'),
  putAvatarConsent: (trx) => putAvatarConsent(trx, CONSENT),
  findAvatarConsents: (trx) => findAvatarConsents(trx, { guildId: 'g', ownerId: 'o', userId: 'u' }),
  listAvatarConsents: (trx) => listAvatarConsents(trx, 'o', 10),
  deleteConsentsOfMember: (trx) => deleteConsentsOfMember(trx, 'u'),
  listNeverSwap: (trx) => listNeverSwap(trx, ['u', 'v']),
  findFaceByName: (trx) => findFaceByName(trx, { userId: 'u', name: 'Me' }),
  listFaces: (trx) => listFaces(trx, { userId: 'u', state: 'saved' }, 10),
  setDefaultFace: (trx) => setDefaultFace(trx, { userId: 'u', id: 'f' }),
  claimRemoval: (trx) => claimRemoval(trx, { nowMs: 1, retryAtMs: 2 }),
  listDepartures: (trx) => listDepartures(trx, { beforeMs: 1, limit: 1 }),
  withdrawJobsOfMember: (trx) => withdrawJobs(trx, MEMBER, 1),
  withdrawJobsOfGuild: (trx) => withdrawJobs(trx, GUILD, 1),
  listRestingJobsOfMember: (trx) => listRestingJobs(trx, MEMBER, PAGE),
  listRestingJobsOfGuild: (trx) => listRestingJobs(trx, GUILD, PAGE),
  hasJobsLeft: (trx) => hasJobsLeft(trx, GUILD),
  listHoldMembersOfMember: (trx) => listHoldMembers(trx, MEMBER, 1),
  pseudonymiseHoldsOfMember: (trx) => pseudonymiseHolds(trx, MEMBER, { userId: 'u', pseudonym: 'p' }),
  pseudonymiseHoldsOfGuild: (trx) => pseudonymiseHolds(trx, GUILD, { userId: 'u', pseudonym: 'p' }),
  listJobsOfMember: (trx) => listJobsOfMember(trx, 'u', 10),
  totalsOfMember: (trx) => totalsOfMember(trx, 'u'),
};

test.each(Object.entries({ ...jobQueries, ...otherQueries, ...peopleQueries }))(
  '%s reads by index alone',
  async (name, query) => {
    const plans = await useQueryPlans();
    const plan = await plans.of(query);
    expect(plan.length).toBeGreaterThan(0);
    // The few rows of one job are sorted after they were found.
    const slow = slowSteps(plan).filter(
      (step) => name !== 'listDeliveriesOfJob' || !step.includes('ORDER BY'),
    );
    expect(slow).toEqual([]);
  },
);

test('listings of open work walk only the index of what is open', async () => {
  const plans = await useQueryPlans();
  expect(await plans.of((trx) => listOpenJobs(trx, 10))).toContainEqual(
    expect.stringMatching(/SCAN jobs USING INDEX jobs_due$/),
  );
  expect(await plans.of((trx) => nextDueAtMs(trx))).toContainEqual(
    expect.stringMatching(/SCAN jobs USING INDEX jobs_due$/),
  );
  expect(await plans.of((trx) => countAllOpenJobs(trx, 10))).toContainEqual(
    expect.stringMatching(/SCAN jobs USING (COVERING )?INDEX jobs_due$/),
  );
});

test('a claim seeks in the index of open jobs and nowhere else', async () => {
  const plans = await useQueryPlans();
  const plan = await plans.of((trx) => claimDueJob(trx, { ...NOW, leaseMs: 1000, owner: 'w' }));
  expect(plan.filter((step) => step.includes('SEARCH'))).toEqual([
    expect.stringContaining('SEARCH jobs USING INDEX sqlite_autoindex_jobs_1 (id=?)'),
    expect.stringContaining('SEARCH jobs USING INDEX jobs_due (due_at_ms<?)'),
  ]);
});

test('the ledger reads by index alone, whatever is done', async () => {
  const plans = await useQueryPlans();
  const ledger = new Ledger({ clock: new FakeClock(), defaultBudget: DOLLAR_A_DAY });
  const plan = await plans.of(async (trx) => {
    for (const subject of ['a', 'b']) await ledger.hold(trx, aHold(subject, micros(1000)));
    await ledger.hold(trx, aHold('refused', micros(2_000_000)));
    for (const charged of [1500, 700, 900])
      await ledger.post(trx, { subject: 'a', charged: micros(charged) });
    await ledger.review(trx, { subject: 'b' });
    await ledger.void(trx, { subject: 'b' });
    await ledger.budget(trx, 'guild');
  });
  expect(plan.length).toBeGreaterThan(30);
  expect(slowSteps(plan)).toEqual([]);
});
