import { expect, test } from 'vitest';
import {
  abandonJob,
  acknowledgeJob,
  advanceJob,
  countAllOpenJobs,
  countOpenJobs,
  findJob,
  findJobByInteraction,
  findJobByResultMessage,
  findJobByServiceJobId,
  clearResult,
  insertJob,
  lastAcceptedAtMs,
  listOldResults,
  renewLease,
  wakeJob,
} from '../../db/queries/jobs.ts';
import {
  cancelUnsentJob,
  clearInputFiles,
  hasOpenRetry,
  listJobs,
  listUncleared,
  recordCleared,
  takeBackJob,
} from '../../db/queries/job-desk.ts';
import { deleteReportsOfGuild, deleteReportsOfMember, insertReport } from '../../db/queries/reports.ts';
import { listJobsOfCallbacks, wakeJobs } from '../../db/queries/job-callbacks.ts';
import { listDurations } from '../../db/queries/list-durations.ts';
import {
  clearLentPicture,
  hasLent,
  listInputOwners,
  listRestingLent,
  putInputOwners,
} from '../../db/queries/input-owners.ts';
import { findJobInput, insertJobInputs, listOldInputs, recordJobInput } from '../../db/queries/job-inputs.ts';
import { claimFirst, countAtService, joinLines, listLine, nextDueAtMs } from '../../db/queries/job-lines.ts';
import { listUnsentOfGuild, moveTurn, turnNow } from '../../db/queries/job-turns.ts';
import {
  deleteConsentsOfMember,
  findAvatarConsents,
  listAvatarConsents,
  listNeverSwap,
  putAvatarConsent,
} from '../../db/queries/consents.ts';
import { listFaces, setDefaultFace } from '../../db/queries/faces.ts';
import {
  deleteGoneMember,
  hasLastingCap,
  isGone,
  hasActiveLimits,
  listDueGoneMembers,
  listGoneMembers,
  putGoneMember,
} from '../../db/queries/gone-members.ts';
import { findGuildZone, deleteEndedZoneChanges } from '../../db/queries/zone-changes.ts';
import {
  deleteRuleEntry,
  findGuildRules,
  listRuleEntries,
  putRuleEntry,
  renameBlockedMember,
} from '../../db/queries/guild-rules.ts';
import {
  deleteBudget,
  hasJobsLeft,
  listHoldMembers,
  listJobsOfMember,
  listSessionsOfMember,
  listRestingJobs,
  pseudonymiseCaps,
  pseudonymiseHolds,
  totalsOfMember,
  withdrawJobs,
} from '../../db/queries/personal-data.ts';
import { claimRemoval, listDepartures } from '../../db/queries/removals.ts';
import { listOpenHolds } from '../../db/queries/holds.ts';
import {
  deletePicksOfGuild,
  deletePicksOfMember,
  findPick,
  deleteOlderPicks,
  insertPick,
  purgePicks,
} from '../../db/queries/picks.ts';
import {
  deleteOverrunWatches,
  dropOverrunWatch,
  findOverrunWatch,
  listOverrunWatches,
  listOverruns,
  listWaitingMembers,
  wakeWaitingJobs,
} from '../../db/queries/overruns.ts';
import { overrunAlertQueue } from '../../db/queries/overrun-alerts.ts';
import { freezeRate, reserveRate } from '../../db/queries/rate-log.ts';
import {
  changeSession,
  findSession,
  insertSession,
  listDueSessions,
  findRunningSession,
  listLostSessions,
  postponeSession,
  renewSessions,
} from '../../db/queries/sessions.ts';
import {
  beginUpload,
  countOrphans,
  findKeptUpload,
  orphanUploads,
  purgeUploads,
  rejectUploads,
} from '../../db/queries/uploads.ts';
import {
  closeDeliveriesOfJob,
  insertDeliveries,
  listDeliveriesOfJob,
  purgeDeliveries,
} from '../../db/queries/webhook-deliveries.ts';
import type { Trx } from '../../db/schema.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { micros } from '../../src/base/money.ts';
import { Ledger } from '../../src/bot/money/ledger/ledger.ts';
import { DOLLAR_A_DAY, aHold } from '../bot/money/ledger/a-hold.ts';
import { aJob } from './a-job.ts';
import { slowSteps, useQueryPlans } from './use-query-plans.ts';

const CLAIM = { id: 'job_a', fence: 1 };
const NOW = { nowMs: 2000 };
const UPLOAD = { jobId: 'job_a', field: 'f', userId: 'u', sha256: 'h' };

const jobQueries: Record<string, (trx: Trx) => Promise<unknown>> = {
  insertJob: (trx) => insertJob(trx, aJob('a')),
  listUnsentOfGuild: (trx) => listUnsentOfGuild(trx, 'g', 10),
  moveTurn: (trx) => moveTurn(trx, 'job_a', 7),
  joinLines: (trx) => joinLines(trx, 2000),
  countAtService: (trx) => countAtService(trx, 'photo_swap', 10),
  listLine: (trx) => listLine(trx, 'fetched', 10),
  advanceJob: (trx) => advanceJob(trx, CLAIM, { ...NOW, patch: { stage: 'fetched' } }),
  renewLease: (trx) => renewLease(trx, CLAIM, { ...NOW, leaseMs: 1000 }),
  wakeJobById: (trx) => wakeJob(trx, { id: 'job_a' }, 2000),
  wakeJobByServiceJobId: (trx) => wakeJob(trx, { serviceJobId: 's' }, 2000),
  acknowledgeJob: (trx) => acknowledgeJob(trx, { id: 'job_a', messageId: null, ...NOW }),
  abandonJob: (trx) => abandonJob(trx, 'job_a', 2000),
  findJob: (trx) => findJob(trx, 'job_a'),
  findJobByInteraction: (trx) => findJobByInteraction(trx, 'i'),
  findJobByServiceJobId: (trx) => findJobByServiceJobId(trx, 's'),
  findJobByResultMessage: (trx) => findJobByResultMessage(trx, 'm'),
  countOpenJobs: (trx) => countOpenJobs(trx, { guildId: 'g', userId: 'u' }),
  listDurations: (trx) => listDurations(trx, 'photo_swap'),
  listOldResults: (trx) => listOldResults(trx, { beforeMs: 1, limit: 1 }),
  clearResult: (trx) => clearResult(trx, 'job_a'),
};

const DESK_PAGE = { guildId: 'g', offset: 0, limit: 9 };
const TAKEN = { id: 'job_a', takenBack: 'cancelled', nowMs: 1 } as const;
const REPORT = { id: 'r', job_id: 'job_a', guild_id: 'g', reporter_id: 'u', created_at_ms: 1 };

const deskQueries: Record<string, (trx: Trx) => Promise<unknown>> = {
  listOwnOpenJobs: (trx) => listJobs(trx, { ...DESK_PAGE, userId: 'u', which: 'open' }),
  listOwnEndedJobs: (trx) => listJobs(trx, { ...DESK_PAGE, userId: 'u', which: 'ended' }),
  listOpenJobsOfGuild: (trx) => listJobs(trx, { ...DESK_PAGE, which: 'open' }),
  listEndedJobsOfGuild: (trx) => listJobs(trx, { ...DESK_PAGE, which: 'ended' }),
  deleteReportsOfMember: (trx) => deleteReportsOfMember(trx, 'u'),
  deleteReportsOfGuild: (trx) => deleteReportsOfGuild(trx, 'g'),
  hasOpenRetry: (trx) => hasOpenRetry(trx, 'job_a'),
  cancelUnsentJob: (trx) => cancelUnsentJob(trx, TAKEN),
  takeBackJob: (trx) => takeBackJob(trx, TAKEN),
  recordCleared: (trx) => recordCleared(trx, 'job_a'),
  clearInputFiles: (trx) => clearInputFiles(trx, 'job_a'),
  insertReport: async (trx) => {
    await insertJob(trx, aJob('a'));
    return insertReport(trx, REPORT);
  },
};

const otherQueries: Record<string, (trx: Trx) => Promise<unknown>> = {
  listOldInputs: (trx) => listOldInputs(trx, { beforeMs: 1, limit: 1 }),
  findJobInput: (trx) => findJobInput(trx, { jobId: 'job_a', field: 'f' }),
  recordJobInput: (trx) =>
    recordJobInput(trx, { job: { id: 'job_a', fence: 1 }, field: 'f' }, { path: null }),
  beginUpload: async (trx) => {
    await insertJob(trx, aJob('a'));
    await beginUpload(trx, { ...UPLOAD, ...NOW });
  },
  orphanUploads: (trx) => orphanUploads(trx, UPLOAD),
  countOrphans: (trx) => countOrphans(trx, UPLOAD),
  findKeptUpload: (trx) => findKeptUpload(trx, { ...UPLOAD, sinceMs: 1 }),
  rejectUploads: (trx) => rejectUploads(trx, UPLOAD),
  purgeUploads: (trx) => purgeUploads(trx, { beforeMs: 1, limit: 1 }),
  listOpenHolds: (trx) => listOpenHolds(trx, { createdBeforeMs: 1, limit: 1 }),
  insertDeliveries: (trx) =>
    insertDeliveries(trx, [{ delivery_id: 'd', service_job_id: 's', body: Buffer.of(1), received_at_ms: 1 }]),
  listJobsOfCallbacks: (trx) => listJobsOfCallbacks(trx, ['c', 'd']),
  wakeJobs: (trx) => wakeJobs(trx, ['job_a', 'job_b'], 2000),
  listDeliveriesOfJob: (trx) => listDeliveriesOfJob(trx, { serviceJobId: 's', callbackToken: 'c' }, 10),
  closeDeliveriesOfJob: (trx) => closeDeliveriesOfJob(trx, 'c', 1),
  purgeDeliveries: (trx) => purgeDeliveries(trx, { beforeMs: 1, limit: 1 }),
  insertPick: (trx) => insertPick(trx, { id: 'p', guild_id: 'g', user_id: 'u', files: '[]', made_at_ms: 1 }),
  findPick: (trx) => findPick(trx, { id: 'p', guildId: 'g', userId: 'u', sinceMs: 1 }),
  deleteOlderPicks: (trx) => deleteOlderPicks(trx, { userId: 'u', keep: 1 }),
  deletePicksOfMember: (trx) => deletePicksOfMember(trx, 'u', 1),
  deletePicksOfGuild: (trx) => deletePicksOfGuild(trx, 'g'),
  purgePicks: (trx) => purgePicks(trx, { beforeMs: 1, limit: 1 }),
  reserveRate: (trx) => reserveRate(trx, { keyId: 'k', nowMs: 1, windowMs: 1, limit: 1 }),
  freezeRate: (trx) => freezeRate(trx, 'k', 1),
};

const MEMBER = { kind: 'member', subjectId: 'u', untilMs: 1 } as const;
const GUILD = { kind: 'guild', subjectId: 'g', untilMs: 1 } as const;
const LENT = { ownerId: 'o', untilMs: 1 };
const INPUT = {
  job_id: 'job_a',
  field: 'f',
  option_name: 'image',
  kind: 'image',
  source: 'chat',
  url: '',
} as const;
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
  listInputOwners: (trx) => listInputOwners(trx, { jobId: 'job_a' }, 10),
  putInputOwners: async (trx) => {
    await insertJob(trx, aJob('a'));
    await insertJobInputs(trx, [INPUT]);
    await putInputOwners(trx, [{ job_id: 'job_a', field: 'f', owner_id: 'o', kind: 'avatar' }]);
    await clearLentPicture(trx, 'o', { jobId: 'job_a', field: 'f', path: null });
  },
  listRestingLent: (trx) => listRestingLent(trx, LENT, 10),
  hasLent: (trx) => hasLent(trx, LENT),
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
  pseudonymiseCaps: (trx) => pseudonymiseCaps(trx, 'u', { pseudonym: 'p', nameless: 'n', nowMs: 1 }),
  deleteBudget: (trx) => deleteBudget(trx, 'g'),
  isGone: (trx) => isGone(trx, { guildId: 'g', pseudonym: 'p' }),
  listDueGoneMembers: (trx) => listDueGoneMembers(trx, { nowMs: 1, limit: 1 }),
  listGoneMembers: (trx) => listGoneMembers(trx, 'g', 1),
  putGoneMember: (trx) => putGoneMember(trx, { guild_id: 'g', pseudonym: 'p', due_at_ms: 1 }),
  hasLastingCap: (trx) => hasLastingCap(trx, { guild_id: 'g', pseudonym: 'p' }),
  hasActiveLimits: (trx) => hasActiveLimits(trx, { guild_id: 'g', pseudonym: 'p' }),
  deleteGoneMember: (trx) => deleteGoneMember(trx, { guild_id: 'g', pseudonym: 'p' }, 'n'),
  findGuildZone: (trx) => findGuildZone(trx, 'g'),
  deleteEndedZoneChanges: (trx) => deleteEndedZoneChanges(trx, { guildId: 'g', period: 'day', beforeMs: 1 }),
  listJobsOfMember: (trx) => listJobsOfMember(trx, 'u', 10),
  totalsOfMember: (trx) => totalsOfMember(trx, 'u'),
};

const SESSION = {
  id: 's',
  guild_id: 'g',
  channel_id: 'c',
  user_id: 'u',
  capability: 'voice_swap',
  state: 'opening',
  opened_at_ms: 1,
  owner: 'o',
  lease_until_ms: 1,
} as const;

const sessionQueries: Record<string, (trx: Trx) => Promise<unknown>> = {
  insertSession: (trx) => insertSession(trx, SESSION),
  findSession: (trx) => findSession(trx, 's'),
  changeSession: (trx) => changeSession(trx, { id: 's', from: ['opening'] }, { metered_ms: 1 }),
  renewSessions: (trx) => renewSessions(trx, [{ id: 's', meteredMs: 1 }], 2),
  findRunningSession: (trx) => findRunningSession(trx, { userId: 'u', capability: 'c' }),
  listLostSessions: (trx) => listLostSessions(trx, 1, 10),
  listDueSessions: (trx) => listDueSessions(trx, 1, 10),
  postponeSession: (trx) => postponeSession(trx, { id: 's', due_at_ms: 1 }, 2),
  listSessionsOfMember: (trx) => listSessionsOfMember(trx, 'u', 10),
};

const allQueries = { ...jobQueries, ...deskQueries, ...otherQueries, ...peopleQueries, ...sessionQueries };

test.each(Object.entries(allQueries))('%s reads by index only', async (name, query) => {
  const plans = await useQueryPlans();
  const plan = await plans.of(query);
  expect(plan.length).toBeGreaterThan(0);
  // A job's few deliveries are sorted after an index has found them.
  const slow = slowSteps(plan).filter(
    (step) =>
      (name !== 'listDeliveriesOfJob' || !step.includes('ORDER BY')) &&
      // These steps read only a few rows, which the query has already found or was given.
      !/SCAN (at_service|listed)/.test(step),
  );
  expect(slow).toEqual([]);
});

test('listings of open work walk only the index of open jobs', async () => {
  const plans = await useQueryPlans();
  expect(await plans.of((trx) => nextDueAtMs(trx))).toContainEqual(
    expect.stringMatching(/SCAN jobs USING INDEX jobs_due$/),
  );
  expect(await plans.of((trx) => countAllOpenJobs(trx, 10))).toContainEqual(
    expect.stringMatching(/SCAN jobs USING (COVERING )?INDEX jobs_(open|open_by_age)$/),
  );
});

test('the listing of the remains of deleted jobs walks only their index', async () => {
  const plans = await useQueryPlans();
  expect(await plans.of((trx) => listUncleared(trx, 10))).toContainEqual(
    expect.stringMatching(/SCAN jobs USING INDEX jobs_to_clear$/),
  );
});

test('a claim makes one seek per line, and nothing walks over the waiting jobs', async () => {
  const plans = await useQueryPlans();
  const claim = { ...NOW, leaseMs: 1000, owner: 'w', lines: ['fetched', 'accepted'] };
  const plan = await plans.of((trx) => claimFirst(trx, claim));
  expect(plan.filter((step) => step.includes('SEARCH'))).toEqual([
    expect.stringContaining('SEARCH jobs USING INDEX sqlite_autoindex_jobs_1 (id=?)'),
    expect.stringContaining('SEARCH jobs USING INDEX jobs_in_line (line=?)'),
    expect.stringContaining('SEARCH jobs USING INDEX jobs_in_line (line=?)'),
  ]);
  expect(slowSteps(plan).filter((step) => step.includes('jobs'))).toEqual([]);
});

test("a member's books are found by index, and only their own rows are sorted", async () => {
  const plans = await useQueryPlans();
  const member = { guild_id: 'g', user_id: 'u' };
  const plan = await plans.of((trx) => pseudonymiseHolds(trx, member, { pseudonym: 'p', untilMs: 1 }));
  expect(slowSteps(plan)).toEqual(Array(2).fill('  USE TEMP B-TREE FOR GROUP BY'));
  expect(plan.filter((step) => step.includes('SEARCH'))).toHaveLength(10);
});

test('the current turn is read from the end of an index', async () => {
  const plans = await useQueryPlans();
  const plan = await plans.of((trx) => turnNow(trx));
  expect(plan.filter((step) => step.startsWith('  '))).toEqual([
    expect.stringContaining('SCAN jobs USING INDEX jobs_unsent'),
    expect.stringContaining('SCAN jobs USING COVERING INDEX jobs_turns'),
  ]);
});

test('every operation of the ledger reads by index only', async () => {
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

test('charges above their holds, and those that wait for a review, are found by index', async () => {
  const plans = await useQueryPlans();
  const page = { offset: 0, limit: 10 };
  expect(slowSteps(await plans.of((trx) => listOverruns(trx, { ...page, guildId: 'g' })))).toEqual([]);
  // Overruns across all guilds are read until the page is full, in the order of an index that contains only overruns.
  expect(slowSteps(await plans.of((trx) => listOverruns(trx, page)))).toEqual([
    expect.stringContaining('SCAN holds USING INDEX holds_all_overruns'),
  ]);
  expect(slowSteps(await plans.of((trx) => listOverrunWatches(trx, { limit: 10 })))).toEqual([
    expect.stringContaining('SCAN overrun_watches USING INDEX overrun_watches_by_age'),
  ]);
  // The index holds only alerts that are still to be sent.
  expect(slowSteps(await plans.of((trx) => overrunAlertQueue.findDue(trx, 1)))).toEqual([]);
  expect(slowSteps(await plans.of((trx) => overrunAlertQueue.nextDueAtMs(trx)))).toEqual([]);
  const member = { guildId: 'g', names: ['u', 'gone_u'] };
  // Only the member's own rows are sorted.
  const found = await plans.of((trx) => findOverrunWatch(trx, member));
  expect(slowSteps(found)).toEqual(['  USE TEMP B-TREE FOR ORDER BY']);
  for (const read of [
    (trx: Trx) => dropOverrunWatch(trx, 'job'),
    (trx: Trx) => deleteOverrunWatches(trx, member),
    (trx: Trx) => listWaitingMembers(trx, 'g'),
    (trx: Trx) => wakeWaitingJobs(trx, { guildId: 'g', userIds: ['u'], nowMs: 1 }),
  ]) {
    expect(slowSteps(await plans.of(read))).toEqual([]);
  }
});
