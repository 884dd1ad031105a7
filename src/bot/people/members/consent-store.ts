import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../../db/database.ts';
import {
  EVERYBODY,
  countOthersNamed,
  deleteAvatarConsents,
  deleteNeverSwap,
  findAvatarConsents,
  listNeverSwap,
  putAvatarConsent,
  putNeverSwap,
} from '../../../../db/queries/consents.ts';
import type { Queryable, Trx } from '../../../../db/schema.ts';
import { findFace } from '../../../../db/queries/faces.ts';
import type { InputOwner } from '../../jobs/inputs/inputs.ts';
import type { AccessRefusal } from '../../jobs/intake/refusals.ts';
import { neverSwapped } from './face-errors.ts';
import { MemberError } from './member-error.ts';
import { AVATAR_CONSENT, type ConsentText, NEVER_SWAP } from './consent-texts.ts';
import type { AccessGate } from '../../jobs/intake/access-gate.ts';
import type { CallOrigin } from '../../jobs/call-origin.ts';
import type { JobRequest } from '../../jobs/job-request.ts';
import type { OwnerWishes } from '../../jobs/inputs/owner-wishes.ts';
import type { AvatarAnswer } from './avatar-answer.ts';

const NAMED_MAX = 100;

/** Stores what members allow others to do with their faces, and refuses jobs that are not allowed. */
export class ConsentStore implements AccessGate, OwnerWishes {
  readonly texts: { readonly avatar: ConsentText; readonly neverSwap: ConsentText } = {
    avatar: AVATAR_CONSENT,
    neverSwap: NEVER_SWAP,
  };
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(options: { readonly db: Database; readonly clock: Clock }) {
    this.#db = options.db;
    this.#clock = options.clock;
  }

  /**
   * Returns whether `byUserId` may use the avatar of `ownerId` in this guild. Owners may use their own unless they
   * chose "never swap my face".
   */
  mayUseAvatar(guildId: string, ownerId: string, byUserId: string): Promise<boolean> {
    return mayUseAvatar(this.#db.kysely, { guildId, ownerId, userId: byUserId });
  }

  /**
   * Stores the owner's decision, its time and the version of the text. Unless the decision allows nobody, throws
   * `MemberError` if the owner chose "never swap my face" (`never_swap`) or has allowed too many single members
   * (`too_many`).
   */
  async answerAvatar(origin: CallOrigin, answer: AvatarAnswer): Promise<void> {
    const { guildId, userId: ownerId } = origin;
    const said = { given_at_ms: this.#clock.now(), text_version: AVATAR_CONSENT.version };
    const key = { guild_id: guildId, owner_id: ownerId };
    await this.#db.transaction(`member:${ownerId}`, async (trx) => {
      const isNever = (await listNeverSwap(trx, [ownerId])).length > 0;
      if (answer.allow !== 'nobody' && isNever) throw neverSwapped();
      if (answer.allow === 'user') {
        const { userId } = answer;
        if ((await countOthersNamed(trx, { guildId, ownerId, userId })) >= NAMED_MAX) throw tooMany();
        return putAvatarConsent(trx, { ...key, ...said, user_id: userId, is_allowed: 1 });
      }
      // A decision for everybody replaces the decisions for individual members.
      await deleteAvatarConsents(trx, { guildId, ownerId });
      const isAllowed = answer.allow === 'everybody' ? 1 : 0;
      await putAvatarConsent(trx, { ...key, ...said, user_id: EVERYBODY, is_allowed: isAllowed });
    });
  }

  /** Returns the time since which the member's face must not be swapped; null if it may be swapped. */
  async neverSwapSinceMs(userId: string): Promise<number | null> {
    return (await listNeverSwap(this.#db.kysely, [userId]))[0]?.since_ms ?? null;
  }

  /** Sets or clears the choice "never swap my face". */
  async setNeverSwap(userId: string, on: boolean): Promise<void> {
    const wish = { user_id: userId, since_ms: this.#clock.now(), text_version: NEVER_SWAP.version };
    await this.#db.transaction(`member:${userId}`, (trx) =>
      on ? putNeverSwap(trx, wish) : deleteNeverSwap(trx, userId),
    );
  }

  async allow(by: Asker, owners: readonly InputOwner[]): Promise<boolean> {
    for (const owner of owners) {
      if (await refusalOfOwner(this.#db.kysely, by, owner)) return false;
    }
    return true;
  }

  async refuses(trx: Trx, request: JobRequest, owners: readonly InputOwner[]): Promise<AccessRefusal | null> {
    for (const { source } of request.inputs) {
      const refusal = source.from === 'saved_face' && (await refusalOfFace(trx, request, source.faceId));
      if (refusal) return refusal;
    }
    for (const owner of owners) {
      const refusal = await refusalOfOwner(trx, request, owner);
      if (refusal) return refusal;
    }
    return null;
  }
}

async function refusalOfFace(
  trx: Trx,
  { userId }: JobRequest,
  faceId: string,
): Promise<AccessRefusal | null> {
  if ((await listNeverSwap(trx, [userId])).length > 0) return { rule: 'own_never_swap' };
  const face = await findFace(trx, faceId);
  return face?.user_id === userId && face.state === 'saved' ? null : { rule: 'face_gone' };
}

type Asker = Pick<JobRequest, 'guildId' | 'userId'>;

async function refusalOfOwner(
  db: Queryable,
  { guildId, userId }: Asker,
  owner: InputOwner,
): Promise<AccessRefusal | null> {
  if (owner.kind === 'gone') return { rule: 'owner_gone' };
  const { kind, userId: ownerId } = owner;
  if ((await listNeverSwap(db, [ownerId])).length > 0) {
    return ownerId === userId ? { rule: 'own_never_swap' } : { rule: 'never_swap', ownerId };
  }
  if (kind !== 'avatar') return null;
  return (await mayUseAvatar(db, { guildId, ownerId, userId }))
    ? null
    : { rule: 'avatar_not_allowed', ownerId };
}

async function mayUseAvatar(
  db: Queryable,
  of: { readonly guildId: string; readonly ownerId: string; readonly userId: string },
): Promise<boolean> {
  if ((await listNeverSwap(db, [of.ownerId])).length > 0) return false;
  if (of.ownerId === of.userId) return true;
  const said = await findAvatarConsents(db, of);
  const word = said.find(({ user_id }) => user_id === of.userId) ?? said[0];
  return word?.is_allowed === 1;
}

function tooMany(): MemberError {
  return new MemberError(
    'too_many',
    `You have allowed ${NAMED_MAX} members, which is the most. Allow everybody, or nobody, with \`/face avatar\`.`,
  );
}
