import type { Database } from '../../../../db/database.ts';
import { type Clock, withDeadline } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import type { MicroUsd } from '../../../base/money.ts';
import type { AccessRefusal, Refusal } from '../../jobs/intake/refusals.ts';
import type { CapView } from '../../money/caps/cap.ts';
import type { Ledger } from '../../money/ledger/ledger.ts';
import type { SpendingGate } from '../../money/ledger/spending-gate.ts';
import type { ConsentBook } from '../consent-book.ts';
import type { LiveConsentText } from './live-consent-text.ts';
import type { LiveSwapLimits } from './live-swap-limits.ts';
import type { Verdict, Watched } from './session/swap-session-options.ts';
import type { CallOrigin } from '../../jobs/call-origin.ts';
import type { SavedFaces } from '../../jobs/inputs/saved-faces.ts';
import type { SessionQuotes } from '../session-quotes.ts';
import type { ConsentStore } from '../../people/members/consent-store.ts';
import type { GuildMembers } from './guild-members.ts';
import type { Access } from '../../people/access/access.ts';

export interface AdmissionOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly rules: Pick<Access, 'refusesLive'>;
  readonly members: GuildMembers;
  readonly wishes: Pick<ConsentStore, 'neverSwapSinceMs'>;
  readonly savedFaces: SavedFaces;
  readonly consents: ConsentBook<LiveConsentText>;
  readonly quotes: SessionQuotes;
  /**
   * Returns the price of this many seconds according to the service's rate card; null if the rate card does not list
   * it.
   */
  readonly priceOf: (seconds: number) => MicroUsd | null;
  readonly ledger: Pick<Ledger, 'views'>;
  readonly spending: SpendingGate;
  readonly limits: LiveSwapLimits;
}

const ASK_MS_MAX = 5_000;

/** Decides who may have a live swap, before it is offered and while it runs. */
export class Admission {
  readonly #options: AdmissionOptions;
  /**
   * When Discord was last asked about the session's member (monotonic milliseconds), and the roles that it returned.
   */
  readonly #asked = new WeakMap<
    Watched,
    { readonly atMs: number; readonly roleIds: readonly string[] | null }
  >();

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  pricesOf(minutes: number): { readonly perMinute: MicroUsd | null; readonly expected: MicroUsd | null } {
    const { priceOf } = this.#options;
    return { perMinute: priceOf(60), expected: priceOf(minutes * 60) };
  }

  /** Returns why a member cannot have a session of this many minutes, or null if they can. Sets nothing aside. */
  async refuses(by: CallOrigin, minutes: number): Promise<Refusal | null> {
    const access = await this.#refusesMember(by);
    if (access) return { reason: 'access', access };
    const { db, quotes, spending } = this.#options;
    const { hold: needed } = quotes.ofSession('live_swap_pro', minutes * 60);
    const gate = await db.transaction('rows', async (trx): Promise<Refusal | null> => {
      const paused = await spending.pausedBy(trx, by.guildId);
      if (paused) return { reason: 'paused', paused };
      return (await spending.isShort(trx, needed)) ? { reason: 'account_empty', needed } : null;
    });
    if (gate) return gate;
    const cap = await this.#shortCap(by, needed);
    return cap ? { reason: 'budget', price: null, needed, cap } : null;
  }

  /** Checks whether all conditions under which a session was allowed still hold. */
  async look(session: Watched): Promise<Verdict> {
    const { db, consents, savedFaces, spending } = this.#options;
    const { by, savedFaceId } = session;
    if (!(await consents.standing(session.id)).has(by.userId)) return 'consent_gone';
    const roleIds = await this.#rolesOf(session);
    if (roleIds === null) return 'not_allowed';
    if (await this.#refusesMember({ ...by, roleIds })) return 'not_allowed';
    const hasFace = savedFaceId === null || (await savedFaces.pathOf(savedFaceId, by.userId)) !== null;
    if (!hasFace) return 'face_gone';
    const paused = await db.transaction('rows', (trx) => spending.pausedBy(trx, by.guildId));
    return paused ? 'not_allowed' : 'fine';
  }

  async #refusesMember(by: CallOrigin): Promise<AccessRefusal | null> {
    const { rules, wishes } = this.#options;
    const refusal = await rules.refusesLive(by);
    if (refusal) return refusal;
    const isNever = (await wishes.neverSwapSinceMs(by.userId)) !== null;
    return isNever ? { rule: 'own_never_swap' } : null;
  }

  /** Returns the member's roles as Discord last reported them; null if the member has left the guild. */
  async #rolesOf(session: Watched): Promise<readonly string[] | null> {
    const { members, clock, limits, log } = this.#options;
    const { guildId, userId, roleIds } = session.by;
    const nowMs = clock.monotonic();
    const known = this.#asked.get(session) ?? { atMs: -Infinity, roleIds };
    if (nowMs - known.atMs < limits.memberRecheckMs) return known.roleIds;
    const found = await withDeadline(clock, ASK_MS_MAX, (signal) =>
      members.rolesOf(guildId, userId, signal),
    ).catch((error: unknown) => {
      log.warn(
        { error, sessionId: session.id },
        'Cannot check whether the member of a live swap is still in the guild',
      );
    });
    const now = found === undefined ? known.roleIds : found;
    this.#asked.set(session, { atMs: nowMs, roleIds: now });
    return now;
  }

  /** Returns the cap with the least left among those that apply to the member and have less left than `needed`. */
  async #shortCap({ guildId, userId, roleIds }: CallOrigin, needed: MicroUsd): Promise<CapView | undefined> {
    const { db, ledger } = this.#options;
    const views = await ledger.views(db.kysely, guildId, { userId, roleIds });
    return views
      .filter(
        ({ capability, left }) => (capability === null || capability === 'live_swap_pro') && left < needed,
      )
      .toSorted((a, b) => a.left - b.left)[0];
  }
}
