import type { Clock } from '../../../base/clock.ts';
import { randomId } from '../../../base/ids.ts';
import type { Database } from '../../../../db/database.ts';
import {
  deleteConsentsOfMember,
  deleteNeverSwap,
  listAvatarConsents,
  listNeverSwap,
} from '../../../../db/queries/consents.ts';
import { countCountedGuilds } from '../../../../db/queries/gone-members.ts';
import { listFaces, markFacesDeleted } from '../../../../db/queries/faces.ts';
import { renameBlockedMember } from '../../../../db/queries/guild-rules.ts';
import {
  listHoldsOfMember,
  listJobsOfMember,
  listSessionsOfMember,
  totalsOfMember,
  withdrawJobs,
} from '../../../../db/queries/personal-data.ts';
import { deletePicksOfMember } from '../../../../db/queries/picks.ts';
import { listCapsOnMember } from '../../../../db/queries/caps.ts';
import { deleteReportsOfMember, listReportsOfMember } from '../../../../db/queries/reports.ts';
import { insertRemoval } from '../../../../db/queries/removals.ts';
import { listUndeleted } from '../../../../db/queries/undeleted-messages.ts';
import type { UndeletedMessageRow } from '../../../../db/schema/undeleted-messages.ts';
import { deleteVoiceConsentsOfMember, listVoiceConsents } from '../../../../db/queries/voice-consents.ts';
import { listJobInputs } from '../../../../db/queries/job-inputs.ts';
import { exportOf } from './export-of.ts';
import type { PrivacySummary } from './privacy-summary.ts';

interface PrivacyOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** Returns the pseudonym under which a member's blocks and limits are kept after a deletion. */
  readonly pseudonymOf: (userId: string) => string;
  /** Called once a removal is stored, so that the deletion starts and the member's sessions end. */
  readonly onRemoval: (userId: string) => void;
  readonly resultKeepMs: number;
}

const DAY_MS = 86_400_000;
const ROWS_MAX = 2_000;
const CONSENTS_MAX = 1_000;

/** Shows, exports and removes the data that is stored about a member. */
export class PrivacyDesk {
  readonly #options: PrivacyOptions;

  constructor(options: PrivacyOptions) {
    this.#options = options;
  }

  async see(userId: string): Promise<PrivacySummary> {
    const { db, pseudonymOf } = this.#options;
    const { kysely } = db;
    const totals = await totalsOfMember(kysely, userId);
    const faces = await listFaces(kysely, { userId, state: 'saved' }, ROWS_MAX);
    const consents = await listAvatarConsents(kysely, userId, CONSENTS_MAX);
    const agreed = await listVoiceConsents(kysely, userId, CONSENTS_MAX);
    const open = consents.filter((consent) => consent.is_allowed === 1);
    return {
      ...totals,
      faces: faces.length,
      neverSwapSinceMs: (await listNeverSwap(kysely, [userId]))[0]?.since_ms ?? null,
      voiceServers: guildsOf(agreed.filter(({ channel_id: channelId }) => channelId !== '')),
      liveServers: guildsOf(agreed.filter(({ channel_id: channelId }) => channelId === '')),
      avatarServers: new Set(open.map((consent) => consent.guild_id)).size,
      undeleted: (await listUndeleted(kysely, userId, ROWS_MAX)).map(linkTo),
      countedServers: await countCountedGuilds(kysely, pseudonymOf(userId)),
      resultKeepDays: Math.round(this.#options.resultKeepMs / DAY_MS),
    };
  }

  /** Returns all data that is stored about the member, as JSON. */
  async export(userId: string): Promise<string> {
    const { kysely } = this.#options.db;
    const newest = await listJobsOfMember(kysely, userId, ROWS_MAX + 1);
    const jobs = newest.slice(0, ROWS_MAX);
    const inputs = [];
    for (const job of jobs) inputs.push(...(await listJobInputs(kysely, job.id)));
    return exportOf({
      userId,
      exportedAtMs: this.#options.clock.now(),
      jobs,
      inputs,
      holds: await listHoldsOfMember(kysely, userId, ROWS_MAX),
      sessions: await listSessionsOfMember(kysely, userId, ROWS_MAX),
      faces: await listFaces(kysely, { userId, state: 'saved' }, ROWS_MAX),
      consents: await listAvatarConsents(kysely, userId, CONSENTS_MAX),
      voiceConsents: await listVoiceConsents(kysely, userId, CONSENTS_MAX),
      neverSwapSinceMs: (await listNeverSwap(kysely, [userId]))[0]?.since_ms ?? null,
      undeleted: (await listUndeleted(kysely, userId, ROWS_MAX)).map(linkTo),
      limits: await listCapsOnMember(kysely, userId, ROWS_MAX),
      reports: await listReportsOfMember(kysely, userId, ROWS_MAX),
      isCut: newest.length > ROWS_MAX,
    });
  }

  /**
   * Starts the removal. From then on, the data is no longer used or shown; a crash does not stop the removal. Records
   * that count against limits are kept under a pseudonym for as long as the limits need them. `keepNeverSwap` keeps the
   * choice "never swap my face".
   */
  async remove(userId: string, options: { readonly keepNeverSwap: boolean }): Promise<void> {
    const { db, clock, pseudonymOf, onRemoval } = this.#options;
    await db.transaction(`member:${userId}`, async (trx) => {
      // The time is read inside the transaction, so that jobs that were accepted while the transaction waited are older
      // than the removal.
      const nowMs = clock.now();
      const subject = { kind: 'member', subjectId: userId } as const;
      await insertRemoval(trx, { ...subject, secret: randomId('s'), nowMs });
      await withdrawJobs(trx, { ...subject, untilMs: nowMs }, nowMs);
      await markFacesDeleted(trx, userId);
      await deleteConsentsOfMember(trx, userId);
      await deleteVoiceConsentsOfMember(trx, userId);
      await deletePicksOfMember(trx, userId, nowMs);
      await deleteReportsOfMember(trx, userId);
      await renameBlockedMember(trx, userId, pseudonymOf(userId));
      if (!options.keepNeverSwap) await deleteNeverSwap(trx, userId);
    });
    onRemoval(userId);
  }
}

function guildsOf(consents: readonly { readonly guild_id: string }[]): number {
  return new Set(consents.map((consent) => consent.guild_id)).size;
}

function linkTo({
  guild_id: guildId,
  channel_id: channelId,
  message_id: messageId,
}: UndeletedMessageRow): string {
  return `https://discord.com/channels/${guildId}/${channelId}/${messageId}`;
}
