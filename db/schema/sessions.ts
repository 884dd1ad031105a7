import type { Generated, Insertable, Selectable, Updateable } from 'kysely';
import type { MicroUsd } from '../../src/base/money.ts';

/**
 * The state of a session. `opening` is stored before the request to the service, and `open` before the bot connects. An
 * `ended` session waits for its charge. A session never returns to an earlier state.
 */
export type SessionState = 'opening' | 'open' | 'ended' | 'settled';

/** A paid session at the service. Its id is the subject of its hold. */
export interface SessionsTable {
  id: string;
  guild_id: string;
  /** The session's channel. Empty once its member's data has been removed. */
  channel_id: string;
  user_id: string;
  capability: string;
  voice_id: string | null;
  state: SessionState;
  /** The session's id at the service. */
  service_session_id: string | null;
  granted_seconds: number | null;
  max_cost_micros: MicroUsd | null;
  opened_at_ms: number;
  connected_at_ms: number | null;
  /** The duration in milliseconds that the bot measured; if the process died, the last value that it stored. */
  metered_ms: Generated<number>;
  ended_at_ms: number | null;
  /** Why the session ended: a `CloseReason` or another value from `src/bot/sessions/end-reason.ts`. */
  end_reason: string | null;
  charged_micros: MicroUsd | null;
  /** The reason that the service reported for the end. */
  usage_reason: string | null;
  settled_at_ms: number | null;
  /** The process that holds the session's socket, and the end of its lease. */
  owner: string;
  lease_until_ms: number;
  /** The number of searches for the session's usage record, and the time of the next search (null for none). */
  looks: Generated<number>;
  due_at_ms: number | null;
}

export type SessionRow = Selectable<SessionsTable>;
export type NewSession = Insertable<SessionsTable>;
export type SessionPatch = Updateable<SessionsTable>;
