import type { Generated, Insertable, Selectable, Updateable } from 'kysely';
import type { MicroUsd } from '../../src/base/money.ts';

/**
 * `opening` is written before the service is asked, `open` before it is connected to; `ended` waits for its charge.
 * A row that leaves the first two never comes back to them.
 */
export type SessionState = 'opening' | 'open' | 'ended' | 'settled';

/** A paid session at the service. Its hold has the same id as subject. */
export interface SessionsTable {
  id: string;
  guild_id: string;
  /** Where it is heard or seen. Empty once its member's data was removed. */
  channel_id: string;
  user_id: string;
  capability: string;
  voice_id: string | null;
  state: SessionState;
  /** Its id at the service. */
  service_session_id: string | null;
  granted_seconds: number | null;
  max_cost_micros: MicroUsd | null;
  opened_at_ms: number;
  connected_at_ms: number | null;
  /** By our own meter; of one whose process died, as it was noted last. */
  metered_ms: Generated<number>;
  ended_at_ms: number | null;
  /** Why it ended: a `CloseReason` or another word of `src/bot/sessions/end-reason.ts`. */
  end_reason: string | null;
  charged_micros: MicroUsd | null;
  /** The service's own word for why it ended. */
  usage_reason: string | null;
  settled_at_ms: number | null;
  /** The process that has its socket, which says until when it is surely alive. */
  owner: string;
  lease_until_ms: number;
  /** How often its usage record was looked for, and when it is next; null: no more. */
  looks: Generated<number>;
  due_at_ms: number | null;
}

export type SessionRow = Selectable<SessionsTable>;
export type NewSession = Insertable<SessionsTable>;
export type SessionPatch = Updateable<SessionsTable>;
