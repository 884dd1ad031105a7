import { micros } from '../../src/base/money.ts';
import type { NewSession } from '../../db/schema/sessions.ts';

/**
 * Creates a complete row for a voice session that was granted for ten minutes at 6 cents a minute and has just
 * ended.
 */
export function aSession(id: string, changes: Partial<NewSession> = {}): NewSession {
  return {
    id,
    guild_id: 'guild',
    channel_id: 'channel',
    user_id: 'u',
    capability: 'voice_swap',
    state: 'ended',
    service_session_id: `ses_${id}`,
    granted_seconds: 600,
    max_cost_micros: micros(600_000),
    opened_at_ms: 1000,
    connected_at_ms: 1000,
    metered_ms: 60_000,
    ended_at_ms: 61_000,
    end_reason: 'left',
    owner: 'o',
    lease_until_ms: 1000,
    due_at_ms: null,
    ...changes,
  };
}
