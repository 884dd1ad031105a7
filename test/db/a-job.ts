import { micros } from '../../src/base/money.ts';
import type { NewJob } from '../../db/schema/jobs.ts';

/** Creates a complete row for a job that has just been accepted. `name` makes its identifying columns unique. */
export function aJob(name: string, changes: Partial<NewJob> = {}): NewJob {
  return {
    id: `job_${name}`,
    interaction_id: `interaction_${name}`,
    capability: 'photo_swap',
    application_id: 'application',
    guild_id: 'guild',
    channel_id: 'channel',
    user_id: 'user',
    interaction_token: 'token',
    token_expires_at_ms: 900_000,
    attachment_size_limit_bytes: 10_000_000,
    stage: 'accepted',
    idempotency_key: `key_${name}`,
    callback_token: `callback_${name}`,
    hold_micros: micros(50_000),
    due_at_ms: 1000,
    accepted_at_ms: 1000,
    updated_at_ms: 1000,
    ...changes,
  };
}
