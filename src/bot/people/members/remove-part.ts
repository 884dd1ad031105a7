import { rm } from 'node:fs/promises';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { hmacHex } from '../../../base/signing.ts';
import { PSEUDONYM_PREFIX, type PseudonymOf } from '../../../../db/pseudonyms.ts';
import { putGoneMember } from '../../../../db/queries/gone-members.ts';
import type { Database } from '../../../../db/database.ts';
import type { Scope } from '../../../../db/scope.ts';
import { deleteConsentsOfGuild } from '../../../../db/queries/consents.ts';
import {
  type LentPictures,
  clearLentPicture,
  hasLent,
  listRestingLent,
} from '../../../../db/queries/input-owners.ts';
import { deletePicksOfGuild } from '../../../../db/queries/picks.ts';
import { deleteReportsOfGuild } from '../../../../db/queries/reports.ts';
import { deleteGuildRules } from '../../../../db/queries/guild-rules.ts';
import {
  type DataSubject,
  deleteBudget,
  hasJobsLeft,
  listHoldMembers,
  listRestingJobs,
  pseudonymiseCaps,
  pseudonymiseHolds,
  pseudonymiseJob,
} from '../../../../db/queries/personal-data.ts';
import { deleteDeparture, deleteRemoval } from '../../../../db/queries/removals.ts';
import { deleteUndeletedOfGuild, noteUndeleted } from '../../../../db/queries/undeleted-messages.ts';
import { deleteVoiceConsentsOfGuild } from '../../../../db/queries/voice-consents.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { RemovalRow } from '../../../../db/schema/removals.ts';
import type { FaceBin } from './face-bin.ts';
import { forgetGoneMembers } from './gone-limits.ts';
import type { JobPublisher } from '../../jobs/job-publisher.ts';

export interface RemovalOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly publisher: Pick<JobPublisher, 'remove'>;
  readonly faceBin: FaceBin;
  /** Returns the pseudonym under which a member's limits are kept after a deletion. */
  readonly pseudonymOf: PseudonymOf;
  /** Deletes all stored files of these jobs. */
  readonly removeJobFiles: (jobIds: readonly string[]) => Promise<void>;
}

const JOBS_AT_ONCE = 50;
const MEMBERS_AT_ONCE = 100;
/**
 * If messages cannot be deleted because Discord is unreachable, they are left in place after this time, and the removal
 * continues.
 */
const MESSAGES_MS_MAX = 86_400_000;

/**
 * Performs one step of a removal; a step may be repeated. Returns `again` if more is left, `wait` if workers are still
 * using some of the data, and `done` if only pseudonyms are left. Throws if Discord cannot be reached.
 */
export async function removePart(
  removal: RemovalRow,
  options: RemovalOptions,
  signal: AbortSignal,
): Promise<'again' | 'wait' | 'done'> {
  const { db, clock, faceBin } = options;
  const subject: DataSubject = {
    kind: removal.kind,
    subjectId: removal.subject_id,
    untilMs: removal.requested_at_ms,
  };
  const resting = await listRestingJobs(db.kysely, subject, { nowMs: clock.now(), limit: JOBS_AT_ONCE });
  if (resting.length > 0) await removeJobs(resting, removal, options, signal);
  if (await hasJobsLeft(db.kysely, subject)) return resting.length > 0 ? 'again' : 'wait';
  if (removal.kind === 'member') {
    await faceBin.empty();
    const lent = await removeLent({ ownerId: subject.subjectId, untilMs: subject.untilMs }, db);
    if (lent !== 'done') return lent;
  }
  if (!(await pseudonymiseLedger(subject, removal, options))) return 'again';
  return (await db.transaction(scopeOf(removal), async (trx) => {
    if (removal.kind === 'guild') {
      await deleteGuildRules(trx, removal.subject_id);
      await deleteConsentsOfGuild(trx, removal.subject_id);
      await deleteVoiceConsentsOfGuild(trx, removal.subject_id);
      await deletePicksOfGuild(trx, removal.subject_id);
      await deleteReportsOfGuild(trx, removal.subject_id);
      await deleteBudget(trx, removal.subject_id);
      await forgetGoneMembers(trx, removal.subject_id);
      await deleteUndeletedOfGuild(trx, removal.subject_id);
      await deleteDeparture(trx, removal.subject_id);
    } else {
      const { subject_id: userId } = removal;
      await pseudonymiseCaps(trx, userId, {
        pseudonym: options.pseudonymOf(userId),
        nameless: namelessOf(removal, userId),
        nowMs: clock.now(),
      });
    }
    return deleteRemoval(trx, removal);
  }))
    ? 'done'
    : 'again';
}

function scopeOf(removal: RemovalRow): Scope {
  return `${removal.kind}:${removal.subject_id}`;
}

/**
 * Removes the member's pictures from other members' jobs. While a picture is being sent to the service, its removal
 * waits.
 */
async function removeLent(lent: LentPictures, db: Database): Promise<'again' | 'wait' | 'done'> {
  const resting = await listRestingLent(db.kysely, lent, JOBS_AT_ONCE);
  for (const picture of resting) {
    if (picture.path !== null) await rm(picture.path, { force: true });
    await db.transaction(`member:${lent.ownerId}`, (trx) => clearLentPicture(trx, lent.ownerId, picture));
  }
  if (!(await hasLent(db.kysely, lent))) return 'done';
  return resting.length > 0 ? 'again' : 'wait';
}

/** Deletes a job's messages before its row, because the messages cannot be found once their ids are deleted. */
async function removeJobs(
  jobs: readonly JobRow[],
  removal: RemovalRow,
  options: RemovalOptions,
  signal: AbortSignal,
): Promise<void> {
  const { db, clock, log } = options;
  for (const job of jobs) {
    signal.throwIfAborted();
    if (removal.kind === 'member') await eraseMessages(job, removal, options, signal);
  }
  await options.removeJobFiles(jobs.map(({ id }) => id));
  for (const job of jobs) {
    const pseudonym = nameAfter(removal, job.user_id, options);
    const nowMs = clock.now();
    const changed = await db.transaction(`guild:${job.guild_id}`, (trx) =>
      pseudonymiseJob(trx, job, { pseudonym, nowMs }),
    );
    if (!changed) log.debug({ jobId: job.id }, 'A worker took a job whose data must be removed');
  }
}

/**
 * Deletes a job's messages. Those that Discord does not let the bot delete are recorded, and `retryUndeleted` tries
 * again.
 */
async function eraseMessages(
  job: JobRow,
  removal: RemovalRow,
  { db, publisher, clock, log }: RemovalOptions,
  signal: AbortSignal,
): Promise<void> {
  for (const messageId of new Set([job.reply_message_id, job.result_message_id])) {
    if (messageId === null) continue;
    try {
      if (await publisher.remove({ channelId: job.channel_id, messageId }, signal)) continue;
      log.warn({ jobId: job.id }, 'Discord does not let the bot delete the card of a removed job');
    } catch (error) {
      if (clock.now() - removal.requested_at_ms < MESSAGES_MS_MAX) throw error;
      log.warn({ jobId: job.id, error }, 'Cannot delete a message; the rest of the data is deleted');
    }
    await noteUndeleted(db.kysely, job, { messageIds: [messageId], nowMs: clock.now() });
  }
}

/** Replaces user ids in holds with pseudonyms; returns true if no user id is left. */
async function pseudonymiseLedger(
  subject: DataSubject,
  removal: RemovalRow,
  options: RemovalOptions,
): Promise<boolean> {
  const { db, clock } = options;
  const members = await listHoldMembers(db.kysely, subject, MEMBERS_AT_ONCE);
  for (const member of members) {
    const pseudonym = nameAfter(removal, member.user_id, options);
    await db.transaction(`guild:${member.guild_id}`, async (trx) => {
      await pseudonymiseHolds(trx, member, { pseudonym, untilMs: subject.untilMs });
      if (removal.kind === 'guild') return;
      await putGoneMember(trx, { guild_id: member.guild_id, pseudonym, due_at_ms: clock.now() });
    });
  }
  return members.length < MEMBERS_AT_ONCE;
}

/**
 * Returns the name that replaces a user id. If a member's data is deleted, their limits still count until their windows
 * end, so the name must identify the member; a guild whose data is deleted has no limits.
 */
function nameAfter(removal: RemovalRow, userId: string, { pseudonymOf }: RemovalOptions): string {
  return removal.kind === 'member' ? pseudonymOf(userId) : namelessOf(removal, userId);
}

/**
 * Returns a name that is the same in all of a member's rows. The secret is deleted with the removal, so nobody can
 * compute the user id from the name.
 */
function namelessOf(removal: RemovalRow, userId: string): string {
  return `${PSEUDONYM_PREFIX}${hmacHex(removal.secret, userId).slice(0, 32)}`;
}
