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

/** A charge above its hold by this factor must be reviewed. */
const FAR_ABOVE = 2;

/**
 * Charges far above their holds, which make the member's next jobs wait until a manager or the operator has reviewed
 * them. A member whose data was removed still waits: their charges are stored under their pseudonym, so both names are
 * looked up.
 */
export class OverrunWatches {
  readonly #clock: Clock;
  readonly #pseudonymOf: PseudonymOf;

  constructor(options: { readonly clock: Clock; readonly pseudonymOf: PseudonymOf }) {
    this.#clock = options.clock;
    this.#pseudonymOf = options.pseudonymOf;
  }

  /** Records whether the charge of a hold is far above it. */
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
      // The guild gets one alert for each wait.
      alert_due_at_ms: isWaiting ? null : nowMs,
    });
  }

  /** The oldest charge of the member that is not reviewed. */
  find(db: Queryable, { guildId, userId }: WatchedMember): Promise<OverrunWatch | undefined> {
    return findOverrunWatch(db, { guildId, names: this.#namesOf(userId) });
  }

  /**
   * Records the review by a manager or the operator and makes the member's waiting jobs due. `userId` may be the
   * pseudonym of a member who is back. Returns false if no charge waited for a review.
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

/** Whether the member of the hold is no longer known. In that case no member's jobs could wait. */
async function isNameless(trx: Trx, { guild_id: guildId, user_id: userId }: HoldRow): Promise<boolean> {
  return userId.startsWith(PSEUDONYM_PREFIX) && !(await isGone(trx, { guildId, pseudonym: userId }));
}
