import type { Database } from '../../../db/database.ts';
import {
  changeSession,
  findRunningSession,
  findSession,
  insertSession,
} from '../../../db/queries/sessions.ts';
import type { SessionRow, SessionState } from '../../../db/schema/sessions.ts';
import type { Clock } from '../../base/clock.ts';
import { type MicroUsd, ZERO, micros } from '../../base/money.ts';
import type { CapView } from '../money/caps/cap.ts';
import type { Ledger } from '../money/ledger/ledger.ts';
import type { SpendingGate } from '../money/ledger/spending-gate.ts';
import type { SessionTicket } from '../../media-api/session-ticket.ts';
import { METER_TOLERANCE_MS, costOfTime } from '../../media-api/time-price.ts';
import type { SessionCapability } from '../../media-api/wire.ts';
import type { EndReason } from './end-reason.ts';
import type { SessionQuotes } from './session-quotes.ts';
import { SessionError } from './session-error.ts';

interface BooksOptions {
  readonly db: Database;
  readonly ledger: Ledger;
  readonly quotes: SessionQuotes;
  readonly clock: Clock;
  /** Without a gate, nothing is ever paused, and only the service checks the balance of the service account. */
  readonly spending?: SpendingGate | undefined;
  /** The id of this process. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly firstLookMs: number;
}

/** The member, the place and the kind of a session. */
export interface SessionRequest {
  readonly guildId: string;
  readonly channelId: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
  readonly capability: SessionCapability;
  /** The target voice; null for other kinds of sessions, and if the voice is left unchanged. */
  readonly voiceId: string | null;
  /** The requested time, in seconds. */
  readonly seconds: number;
  /** Refuses the session if the member already has a session of this capability in any process. Default false. */
  readonly isOnlyOne?: boolean;
}

const RUNNING: readonly SessionState[] = ['opening', 'open'];

/** Records sessions and their money. Each method changes both in one transaction and may be repeated. */
export class SessionBooks {
  readonly #options: BooksOptions;

  constructor(options: BooksOptions) {
    this.#options = options;
  }

  /**
   * Sets aside the expected cost of a session and records that the session is being opened. Must be called before the
   * request to the service. Returns the held amount. Throws `SessionError`.
   */
  async reserve(id: string, request: SessionRequest): Promise<MicroUsd> {
    const { db, ledger, quotes, spending, clock, owner, leaseMs } = this.#options;
    const { guildId, userId, roleIds, capability } = request;
    const quote = quotes.ofSession(capability, request.seconds);
    const refusal = await db.transaction([`guild:${guildId}`, `member:${userId}`], async (trx) => {
      if (request.isOnlyOne && (await findRunningSession(trx, { userId, capability }))) {
        return new SessionError('already_on');
      }
      const paused = await spending?.pausedBy(trx, guildId);
      if (paused) return new SessionError('refused', { refusal: { by: 'operator', paused } });
      if (await spending?.isShort(trx, quote.hold)) return new SessionError('unpaid');
      const hold = { subject: id, guildId, userId, roleIds, capability };
      const outcome = await ledger.hold(trx, { ...hold, amount: quote.hold, rateCard: quote.snapshot });
      if (!outcome.held) return refusedBy(outcome);
      const nowMs = clock.now();
      await insertSession(trx, {
        id,
        guild_id: guildId,
        channel_id: request.channelId,
        user_id: userId,
        capability,
        voice_id: request.voiceId,
        state: 'opening',
        opened_at_ms: nowMs,
        owner,
        lease_until_ms: nowMs + leaseMs,
      });
      return undefined;
    });
    if (refusal?.code === 'unpaid') spending?.wasShort(quote.hold, 'balance');
    if (refusal) throw refusal;
    return quote.hold;
  }

  /**
   * Changes the hold to the maximum cost that the service returned when it opened the session. Returns the held amount.
   * Throws `SessionError` if no budget allows that amount; in this case nothing is held, and the caller must not
   * connect.
   */
  async opened(id: string, request: SessionRequest, ticket: SessionTicket): Promise<MicroUsd> {
    const { db, ledger, clock } = this.#options;
    const refusal = await db.transaction(`guild:${request.guildId}`, async (trx) => {
      const known = await findSession(trx, id);
      // Another process assumed that this process had died, and released the hold.
      if (known?.state !== 'opening') return new SessionError('unreachable');
      const amount = micros(Math.max(1, ticket.maxCost));
      const outcome = await ledger.resize(trx, { subject: id, amount, rateCard: snapshotOf(ticket) });
      if (!outcome.held) {
        await ledger.void(trx, { subject: id });
        await changeSession(trx, { id, from: ['opening'] }, this.#nothing('not_opened'));
        return refusedBy(outcome);
      }
      await changeSession(
        trx,
        { id, from: ['opening'] },
        {
          state: 'open',
          service_session_id: ticket.id,
          granted_seconds: ticket.grantedSeconds,
          max_cost_micros: ticket.maxCost,
          connected_at_ms: clock.now(),
        },
      );
      return undefined;
    });
    if (refusal) throw refusal;
    return micros(Math.max(1, ticket.maxCost));
  }

  /** Releases the hold of a session that was never connected and therefore costs nothing. */
  async notOpened(id: string, guildId: string, from: readonly SessionState[] = RUNNING): Promise<boolean> {
    const { db, ledger } = this.#options;
    return db.transaction(`guild:${guildId}`, async (trx) => {
      const changed = await changeSession(trx, { id, from }, this.#nothing('not_opened'));
      if (changed) await ledger.void(trx, { subject: id });
      return changed !== undefined;
    });
  }

  /**
   * Records that a session is over, and changes the hold to the cost according to this process's meter, plus a
   * tolerance for the difference from the service's meter.
   */
  async ended(
    session: Pick<SessionRow, 'id' | 'guild_id'>,
    end: { readonly meteredMs: number; readonly reason: EndReason },
  ): Promise<void> {
    const { db, ledger, clock, firstLookMs } = this.#options;
    const { id, guild_id: guildId } = session;
    await db.transaction(`guild:${guildId}`, async (trx) => {
      const known = await findSession(trx, id);
      if (!known || known.state === 'settled') return;
      const nowMs = clock.now();
      await changeSession(
        trx,
        { id, from: ['open', 'ended'] },
        {
          state: 'ended',
          metered_ms: Math.round(end.meteredMs),
          end_reason: end.reason,
          ended_at_ms: known.ended_at_ms ?? nowMs,
          due_at_ms: nowMs + firstLookMs,
        },
      );
      const granted = grantedOf(known);
      if (!granted) return;
      const cost = costOfTime(granted, end.meteredMs + METER_TOLERANCE_MS);
      const rateCard = JSON.stringify({ source: 'metered', meteredMs: end.meteredMs, ...granted });
      await ledger.resize(trx, { subject: id, amount: micros(Math.max(1, cost)), rateCard });
    });
  }

  /**
   * Ends a session whose process died. It is not known how long an open session lasted, so its whole hold stays until
   * the charge is known.
   */
  async crashed(session: SessionRow): Promise<boolean> {
    const { id, guild_id: guildId, lease_until_ms: leaseUntilMs } = session;
    if (session.state === 'opening') return this.notOpened(id, guildId, ['opening']);
    const { db, clock } = this.#options;
    return db.transaction(`guild:${guildId}`, async (trx) => {
      const known = await findSession(trx, id);
      // The session's process has renewed the lease in the meantime.
      if (known?.state !== 'open' || known.lease_until_ms !== leaseUntilMs) return false;
      const nowMs = clock.now();
      await changeSession(
        trx,
        { id, from: ['open'] },
        {
          state: 'ended',
          end_reason: 'crashed' satisfies EndReason,
          ended_at_ms: Math.min(nowMs, latestEndMs(known)),
          due_at_ms: nowMs,
        },
      );
      return true;
    });
  }

  /** Settles a session with the service's charge, which was read at `asOfMs`. */
  async charged(
    session: Pick<SessionRow, 'id' | 'guild_id'>,
    { charged, reason, asOfMs }: { charged: MicroUsd; reason: string | null; asOfMs: number },
  ): Promise<void> {
    const { db, ledger, clock } = this.#options;
    const { id: subject } = session;
    await db.transaction(`guild:${session.guild_id}`, async (trx) => {
      const freed = charged === ZERO ? await ledger.void(trx, { subject }) : undefined;
      if (freed?.state !== 'voided') await ledger.post(trx, { subject, charged, asOfMs });
      await changeSession(
        trx,
        { id: subject, from: ['ended'] },
        {
          state: 'settled',
          charged_micros: charged,
          usage_reason: reason,
          settled_at_ms: clock.now(),
          due_at_ms: null,
        },
      );
    });
  }

  /** Stops looking for the charge of a session. The amount stays held until the operator decides. */
  async review(session: Pick<SessionRow, 'id' | 'guild_id'>): Promise<void> {
    const { db, ledger } = this.#options;
    await db.transaction(`guild:${session.guild_id}`, async (trx) => {
      await ledger.review(trx, { subject: session.id });
      await changeSession(trx, { id: session.id, from: ['ended'] }, { due_at_ms: null });
    });
  }

  #nothing(reason: EndReason): Parameters<typeof changeSession>[2] {
    const nowMs = this.#options.clock.now();
    return {
      state: 'settled',
      end_reason: reason,
      charged_micros: ZERO,
      ended_at_ms: nowMs,
      settled_at_ms: nowMs,
    };
  }
}

/** Returns the time and cost that the service granted; `undefined` if the session was never opened. */
export function grantedOf({
  granted_seconds: seconds,
  max_cost_micros: maxCost,
}: Pick<SessionRow, 'granted_seconds' | 'max_cost_micros'>):
  | { readonly seconds: number; readonly maxCost: MicroUsd }
  | undefined {
  return seconds === null || maxCost === null ? undefined : { seconds, maxCost };
}

/** Returns the latest time at which a session can have ended: no service lets it run longer than granted. */
function latestEndMs({ connected_at_ms: connectedAtMs, granted_seconds: seconds }: SessionRow): number {
  return (connectedAtMs ?? 0) + (seconds ?? 0) * 1000 + METER_TOLERANCE_MS;
}

function snapshotOf({ grantedSeconds: seconds, maxCost }: SessionTicket): string {
  return JSON.stringify({ source: 'session', seconds, maxCost });
}

function refusedBy({ needed, cap }: { readonly needed: MicroUsd; readonly cap: CapView }): SessionError {
  return new SessionError('refused', { refusal: { by: 'cap', needed, cap } });
}
