import type { Generated, Insertable, Selectable, Updateable } from 'kysely';
import type { MicroUsd } from '../../src/base/money.ts';

/** In the order of the way of a job; the last two are terminal. */
export type JobStage =
  | 'accepted'
  | 'fetched'
  | 'uploaded'
  | 'submitting'
  | 'submitted'
  | 'finished'
  | 'charged'
  | 'collected'
  | 'posted'
  | 'settled'
  | 'abandoned';

export type TakenBack = 'cancelled' | 'deleted';

export type JobOutcome = 'succeeded' | 'failed' | 'unknown';

export interface JobsTable {
  id: string;
  interaction_id: string;
  capability: string;
  /** JSON: what the submit's body holds besides input keys. */
  parameters: Generated<string>;
  /** The job that this is another try of. */
  retry_of: string | null;
  application_id: string;
  guild_id: string;
  channel_id: string;
  user_id: string;
  interaction_token: string;
  token_expires_at_ms: number;
  reply_message_id: string | null;
  attachment_size_limit_bytes: number;
  stage: JobStage;
  outcome: JobOutcome | null;
  /** JSON of why it ended without a result. */
  failure: string | null;
  idempotency_key: string;
  callback_token: string;
  /** The frozen submit, word for word. */
  request_body: string | null;
  service_job_id: string | null;
  status_url: string | null;
  service_status: string | null;
  output_url: string | null;
  charged_micros: MicroUsd | null;
  result_path: string | null;
  result_sha256: string | null;
  result_mime: string | null;
  result_bytes: number | null;
  result_message_id: string | null;
  /** A smaller copy of the result, for a chat that does not take the result itself. */
  chat_path: string | null;
  chat_mime: string | null;
  /** Why the chat did not take the final card. */
  undelivered: string | null;
  /** Somebody took it back: the result is neither shown nor kept, and of `deleted` no card stays either. */
  taken_back: TakenBack | null;
  hold_micros: MicroUsd;
  /** What the member was told that it costs, about. */
  quote_micros: MicroUsd | null;
  /** When the member was asked whether it may cost that much, and when they said yes. */
  asked_at_ms: number | null;
  confirmed_at_ms: number | null;
  /** How often the step of the current stage was begun. */
  attempts: Generated<number>;
  /** How many of `attempts` are known to have left nothing at the service. */
  clean_attempts: Generated<number>;
  /** Number of leases in a row that ran out without a result, because a process died or stalled in this step. */
  lost_leases: Generated<number>;
  stage_since_ms: Generated<number>;
  /** Since when the service says that it does not know the submitted job. */
  missing_since_ms: number | null;
  /** When a worker may take the job; while one has it, the end of its lease. */
  due_at_ms: number;
  /** Set while the job is due and waits to be taken: what it waits for (see `lineOf`). */
  line: Generated<string | null>;
  /** Its place in line: the lower is first. Gives every guild, and every member in it, the same share. */
  turn: Generated<number>;
  /** Set when something happened during a lease that the next step must look at. */
  woken_at_ms: number | null;
  lease_owner: string | null;
  lease_until_ms: number | null;
  /** Goes up with every claim; a worker with an older number has lost the job. */
  fence: Generated<number>;
  accepted_at_ms: number;
  acknowledged_at_ms: number | null;
  submitted_at_ms: number | null;
  /** When the first submit try that may have left a job at the service started, and when the last one ended. */
  submit_from_ms: number | null;
  submit_to_ms: number | null;
  finished_at_ms: number | null;
  settled_at_ms: number | null;
  updated_at_ms: number;
}

export type JobRow = Selectable<JobsTable>;
export type NewJob = Insertable<JobsTable>;
export type JobPatch = Updateable<JobsTable>;
