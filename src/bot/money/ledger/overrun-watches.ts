import { PSEUDONYM_PREFIX, type PseudonymOf } from '../../../../db/pseudonyms.ts';
import { isGone } from '../../../../db/queries/gone-members.ts';
import {
  type WatchedMember,
  deleteOverrunWatches,
  dropOverrunWatch,
  findOverrunWatch,
  listWaitingMembers,
  putOverrunWatch,
  wakeWaitingJobs,
} from '../../../../db/queries/overruns.ts';
import type { Queryable, Trx } from '../../../../db/schema.ts';
import type { HoldRow } from '../../../../db/schema/ledger.ts';
import type { OverrunWatch } from '../../../../db/schema/overruns.ts';
import type { Clock } from '../../../base/clock.ts';
import type { MicroUsd } from '../../../base/money.ts';

/** A charge of more than this many times its hold must be reviewed. */
const FAR_ABOVE = 2;

/**
 * Stores charges far above their holds. The member's new jobs wait until a budget manager or the operator has reviewed
 * the charge. This includes members who removed their data: their charges are stored under their pseudonym, so charges
 * are looked up by both user id and pseudonym.
 */
export class OverrunWatches {
  readonly #clock: Clock;
  readonly #pseudonymOf: PseudonymOf;

  constructor(options: { readonly clock: Clock; readonly pseudonymOf: PseudonymOf }) {
    this.#clock = options.clock;
    this.#pseudonymOf = options.pseudonymOf;
  }

  /** Stores a charge if it is far above its hold, and removes it once a correction has reduced it. */
  async note(trx: Trx, hold: HoldRow, charged: MicroUsd): Promise<void> {
    const { subject, amount_micros: held } = hold;
    const [was, is] = [hold.charged_micros > FAR_ABOVE * held, charged > FAR_ABOVE * held];
    if (was && !is) await dropOverrunWatch(trx, subject);
    if (was || !is || (await isNameless(trx, hold))) return;
    const { guild_id: guildId, user_id: userId } = hold;
    const nowMs = this.#clock.now();
    const isWaiting = (await this.find(trx, { guildId, userId })) !== undefined;
    await putOverrunWatch(trx, {
      guild_id: guildId,
      user_id: userId,
      subject,
      capability: hold.capability,
      held_micros: held,
      charged_micros: charged,
      made_at_ms: nowMs,
      // The guild gets one alert for each wait, so a further charge during the same wait causes none.
      alert_due_at_ms: isWaiting ? null : nowMs,
    });
  }

  /** Returns the member's oldest charge that has not been reviewed. */
  find(db: Queryable, { guildId, userId }: WatchedMember): Promise<OverrunWatch | undefined> {
    return findOverrunWatch(db, { guildId, names: this.#namesOf(userId) });
  }

  /**
   * Records the review by a budget manager or the operator, and makes the member's waiting jobs due. `userId` may be
   * the pseudonym of a member who removed their data. Returns false if no charge was waiting for a review.
   */
  async clear(trx: Trx, { guildId, userId }: WatchedMember): Promise<boolean> {
    const names = this.#namesOf(userId);
    if (!(await deleteOverrunWatches(trx, { guildId, names }))) return false;
    const waiting = await listWaitingMembers(trx, guildId);
    const meant = waiting.filter((id) => this.#namesOf(id).some((name) => names.includes(name)));
    await wakeWaitingJobs(trx, { guildId, userIds: meant, nowMs: this.#clock.now() });
    return true;
  }

  #namesOf(userId: string): readonly string[] {
    return [userId, this.#pseudonymOf(userId)];
  }
}

/**
 * Whether the hold is stored under a pseudonym that is no longer linked to any member. In that case no member's jobs
 * need to wait.
 */
async function isNameless(trx: Trx, { guild_id: guildId, user_id: userId }: HoldRow): Promise<boolean> {
  return userId.startsWith(PSEUDONYM_PREFIX) && !(await isGone(trx, { guildId, pseudonym: userId }));
}
