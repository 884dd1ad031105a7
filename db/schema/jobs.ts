import type { Generated, Insertable, Selectable, Updateable } from 'kysely';
import type { MicroUsd } from '../../src/base/money.ts';

/** The stages of a job in order. The last two are terminal. */
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
  /** JSON of the submission body without its input keys. */
  parameters: Generated<string>;
  /** The job that this job retries. */
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
  /** JSON of the reason why the job ended without a result. */
  failure: string | null;
  idempotency_key: string;
  callback_token: string;
  /** The exact body of the submission, frozen before it is first sent. */
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
  /** A smaller copy of the result, for a chat that does not accept the result itself. */
  chat_path: string | null;
  chat_mime: string | null;
  /** The reason why the chat did not accept the final card. */
  undelivered: string | null;
  /**
   * Whether the member cancelled or deleted the job: its result is then neither shown nor kept, and the card of a
   * `deleted` job is removed.
   */
  taken_back: TakenBack | null;
  hold_micros: MicroUsd;
  /** The approximate price that the member was shown. */
  quote_micros: MicroUsd | null;
  /** When the member was asked to confirm the price, and when they confirmed it. */
  asked_at_ms: number | null;
  confirmed_at_ms: number | null;
  /** The number of times that the current stage's step was started. */
  attempts: Generated<number>;
  /** The number of `attempts` that are known to have left nothing at the service. */
  clean_attempts: Generated<number>;
  /** The number of consecutive leases that ran out without a result, because a process died or stalled in this step. */
  lost_leases: Generated<number>;
  stage_since_ms: Generated<number>;
  /** The time since which the service has reported the submitted job as unknown. */
  missing_since_ms: number | null;
  /** When a worker may claim the job. While a worker holds the job, this is the end of the lease. */
  due_at_ms: number;
  /** The line in which the job waits to be claimed (see `lineOf`); null while it is not due. */
  line: Generated<string | null>;
  /**
   * The job's place in its line, lowest first. Every guild, and every member in it, gets the same share of the turns.
   */
  turn: Generated<number>;
  /** When the job was woken during a lease, because something happened that the next step must handle. */
  woken_at_ms: number | null;
  lease_owner: string | null;
  lease_until_ms: number | null;
  /** Increases with every claim. A worker whose claim has a lower number has lost the job. */
  fence: Generated<number>;
  accepted_at_ms: number;
  acknowledged_at_ms: number | null;
  submitted_at_ms: number | null;
  /** When the first submission attempt that may have left a job at the service started, and when the last one ended. */
  submit_from_ms: number | null;
  submit_to_ms: number | null;
  finished_at_ms: number | null;
  settled_at_ms: number | null;
  updated_at_ms: number;
}

export type JobRow = Selectable<JobsTable>;
export type NewJob = Insertable<JobsTable>;
export type JobPatch = Updateable<JobsTable>;
