import type { Generated, Insertable, Kysely, Selectable, Transaction, Updateable } from 'kysely';
import type { MicroUsd } from '../src/base/money.ts';

/** The tables as `db/migrations` makes them. Times are epoch milliseconds, amounts whole micro-dollars. */
export interface Schema {
  schema_migrations: { number: number; name: string; applied_at_ms: number };
  caps: CapsTable;
  cap_changes: CapChangesTable;
  budget_settings: BudgetSettingsTable;
  budget_managers: { guild_id: string; role_id: string };
  spending: SpendingTable;
  meters: MetersTable;
  budget_alerts: BudgetAlertsTable;
  operator_alerts: OperatorAlertsTable;
  holds: HoldsTable;
  ledger_entries: LedgerEntriesTable;
  jobs: JobsTable;
  job_inputs: JobInputsTable;
  job_input_owners: JobInputOwnersTable;
  uploads: UploadsTable;
  webhook_deliveries: WebhookDeliveriesTable;
  picks: PicksTable;
  guild_rules: GuildRulesTable;
  guild_rule_entries: GuildRuleEntriesTable;
  faces: FacesTable;
  avatar_consents: AvatarConsentsTable;
  never_swap: { user_id: string; since_ms: number; text_version: string };
  removals: RemovalsTable;
  departed_guilds: { guild_id: string; left_at_ms: number };
  rate_log: { id: Generated<number>; key_id: string; at_ms: number };
  rate_freeze: { key_id: string; until_ms: number };
  settings: { name: string; value: string };
  reports: ReportsTable;
  voice_consents: VoiceConsentsTable;
  voice_panels: VoicePanelsTable;
  reconciliations: ReconciliationsTable;
  sessions: SessionsTable;
}

/** What a query runs on: the database, or a transaction it shall be part of. */
export type Queryable = Kysely<Schema>;
/** What work runs on that is only right as part of a transaction. */
export type Trx = Transaction<Schema>;

export type BudgetPeriod = 'day' | 'week' | 'month';
export type CapPeriod = BudgetPeriod | 'total';

/**
 * Whose spending a cap limits: `operator` is the allowance that the operator gives a guild and its admins cannot go
 * above, `role` counts for each member who has it by themselves.
 */
export type CapTargetKind = 'operator' | 'guild' | 'role' | 'member';

/** The most that may be spent in a period; `capability` empty: on everything. */
interface CapsTable {
  guild_id: string;
  target_kind: CapTargetKind;
  /** Of a role or member; else empty. */
  target_id: string;
  capability: string;
  period: CapPeriod;
  limit_micros: MicroUsd;
  set_by: string;
  set_at_ms: number;
}

/** Who changed which cap; null where there was none before, or is none after. */
interface CapChangesTable {
  id: Generated<number>;
  guild_id: string;
  target_kind: CapTargetKind;
  target_id: string;
  capability: string;
  period: CapPeriod;
  before_micros: MicroUsd | null;
  after_micros: MicroUsd | null;
  changed_by: string;
  changed_at_ms: number;
}

/** What a guild's admins chose about money; null leaves it to the operator's defaults. */
interface BudgetSettingsTable {
  guild_id: string;
  time_zone: string | null;
  /** Jobs that cost more are asked about first; null: none is. */
  confirm_above_micros: MicroUsd | null;
  alerts_channel_id: string | null;
  /** Whether voice sessions go on by themselves; null: they do not. */
  voice_renewal: number | null;
}

/** What a member used of a capability in one quarter of an hour (UTC), by when it was held. */
interface SpendingTable {
  guild_id: string;
  slot_ms: number;
  user_id: string;
  capability: string;
  posted_micros: Generated<MicroUsd>;
  pending_micros: Generated<MicroUsd>;
  overrun_micros: Generated<MicroUsd>;
}

/**
 * The sum of `spending` in one window, kept while it is added to: of a guild or one member (`user_id` empty: all),
 * of one capability or (empty) all. Made when a cap first needs it.
 */
interface MetersTable {
  guild_id: string;
  user_id: string;
  capability: string;
  period: CapPeriod;
  starts_at_ms: number;
  ends_at_ms: number;
  posted_micros: Generated<MicroUsd>;
  pending_micros: Generated<MicroUsd>;
  overrun_micros: Generated<MicroUsd>;
}

export type AlertPercent = 50 | 80 | 100;
/** `default`: the operator's budget for guilds that have none of their own. */
export type AlertTargetKind = CapTargetKind | 'default';

/** That a cap reached a part of its limit in a window; told once. */
interface BudgetAlertsTable {
  id: string;
  guild_id: string;
  target_kind: AlertTargetKind;
  target_id: string;
  /** Whose meter it was, of caps of roles and members; else empty. */
  user_id: string;
  capability: string;
  period: CapPeriod;
  starts_at_ms: number;
  ends_at_ms: number;
  percent: AlertPercent;
  limit_micros: MicroUsd;
  used_micros: MicroUsd;
  made_at_ms: number;
  due_at_ms: number;
  attempts: Generated<number>;
  told_at_ms: number | null;
}

export type OperatorAlertKind =
  | 'low_balance'
  | 'account_empty'
  | 'key_refused'
  | 'other_use'
  | 'charged_failure';

/** What the operator is told once, until it is over (or a day has passed); at most one of a kind is not over. */
interface OperatorAlertsTable {
  id: string;
  kind: OperatorAlertKind;
  /** JSON of the amounts that it is about. */
  facts: string;
  made_at_ms: number;
  due_at_ms: number;
  attempts: Generated<number>;
  told_at_ms: number | null;
  over_at_ms: number | null;
}

export type HoldState = 'pending' | 'posted' | 'voided' | 'review';

/** An amount set aside for a subject (a job or a session). `charged_micros` includes `overrun_micros`. */
interface HoldsTable {
  subject: string;
  guild_id: string;
  user_id: string;
  /** The member's roles that had caps, which a change of the amount has to keep to as well; joined with commas. */
  role_ids: Generated<string>;
  capability: string;
  amount_micros: MicroUsd;
  state: HoldState;
  charged_micros: Generated<MicroUsd>;
  overrun_micros: Generated<MicroUsd>;
  /** When the service's figure in `charged_micros` was learned. */
  charged_as_of_ms: number | null;
  /** The quarter of an hour (UTC) of `created_at_ms`; all its amounts count in it, whenever they are booked. */
  slot_ms: number;
  /** JSON: the rates the amount was computed from. */
  rate_card: string;
  created_at_ms: number;
  resolved_at_ms: number | null;
}

export type EntryKind = 'hold' | 'charge' | 'overrun' | 'release' | 'adjustment' | 'foreign';
/** A guild's first four; `service` pays into `unattributed` what others used of the account at the service. */
export type Account = 'budget' | 'pending' | 'spent' | 'overrun' | 'service' | 'unattributed';

/** A transfer: `amount_micros` leaves `credit_account` and enters `debit_account`. */
interface LedgerEntriesTable {
  id: Generated<number>;
  subject: string;
  kind: EntryKind;
  guild_id: string;
  slot_ms: number;
  debit_account: Account;
  credit_account: Account;
  amount_micros: MicroUsd;
  /** The entry that an adjustment corrects. */
  corrects: number | null;
  created_at_ms: number;
}

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

interface JobsTable {
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
  finished_at_ms: number | null;
  settled_at_ms: number | null;
  updated_at_ms: number;
}

/** A `text` becomes the body field's value itself. */
export type InputKind = 'image' | 'audio' | 'video' | 'text';
export type InputSourceName = 'chat' | 'newest' | 'saved_face' | 'result' | 'input';

/** A file a member gave to a job: where it came from, then where it is kept, then its key at the service. */
interface JobInputsTable {
  job_id: string;
  field: string;
  option_name: string;
  kind: InputKind;
  source: InputSourceName;
  /** Which saved face, job's result, or job's input (`JOB/FIELD`); null for the others. */
  source_id: string | null;
  /** Of files of the chat; else empty. */
  url: string;
  /** Before it is fetched: what the chat claims. */
  size_bytes: number | null;
  path: string | null;
  sha256: string | null;
  mime: string | null;
  extension: string | null;
  file_key: string | null;
  /** Of what lasts. */
  duration_ms: number | null;
  /** When its job was settled: its file is kept for a while from then on. */
  kept_since_ms: number | null;
  reuse: Generated<UploadReuse>;
}

/** `gone`: an owner who had their data removed. */
export type OwnerKind = 'avatar' | 'message' | 'gone';

/** Somebody whose picture an input is, or is made from: their avatar, or a file of their message. */
interface JobInputOwnersTable {
  job_id: string;
  field: string;
  /** Empty of `gone`. */
  owner_id: string;
  kind: OwnerKind;
}

/** Whether the key is that of an earlier upload: it may be, it is, or the service did not take such a one. */
export type UploadReuse = 'allowed' | 'used' | 'refused';

/** What became of an upload. An `orphan` may be at the service without anybody knowing its key. */
export type UploadState = 'sending' | 'kept' | 'orphan' | 'rejected';

interface UploadsTable {
  id: Generated<number>;
  job_id: string;
  field: string;
  user_id: string;
  sha256: string;
  state: UploadState;
  file_key: string | null;
  created_at_ms: number;
}

interface WebhookDeliveriesTable {
  delivery_id: string;
  service_job_id: string;
  callback_token: string | null;
  body: Uint8Array;
  received_at_ms: number;
  processed_at_ms: number | null;
}

/** How the books and the service compared at a moment, of all guilds together. */
interface ReconciliationsTable {
  id: Generated<number>;
  made_at_ms: number;
  /** 0: the service's usage log had gaps. */
  is_complete: number;
  service_spent_micros: MicroUsd;
  service_balance_micros: MicroUsd;
  service_topped_up_micros: MicroUsd;
  /** At the service, before the books began. */
  spent_earlier_micros: MicroUsd;
  guilds_spent_micros: MicroUsd;
  guilds_pending_micros: MicroUsd;
  /** What others used of the account, call by call. */
  foreign_micros: MicroUsd;
  /** What the service's total is above all of these. */
  difference_micros: MicroUsd;
  /** The part of it that work under way cannot explain. */
  drift_micros: MicroUsd;
  /** Holds whose charge may never be learned. */
  in_review: number;
  /** Usage records that nothing can be said about yet. */
  undecided: number;
}

/**
 * `opening` is written before the service is asked, `open` before it is connected to; `ended` waits for its charge.
 * A row that leaves the first two never comes back to them.
 */
export type SessionState = 'opening' | 'open' | 'ended' | 'settled';

/** A paid session at the service. Its hold has the same id as subject. */
interface SessionsTable {
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
  /** Why it ended: a `CloseReason` or another word of `src/live/session-end.ts`. */
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

/** A member finds that a result should not be there. */
interface ReportsTable {
  id: string;
  job_id: string;
  guild_id: string;
  reporter_id: string;
  created_at_ms: number;
}

/** What a member chose as an input by a menu or button. */
interface PicksTable {
  id: string;
  guild_id: string;
  user_id: string;
  /** JSON of the files, signed links included. */
  files: string;
  made_at_ms: number;
}

/** What a guild's admins set; null leaves it to the operator's defaults. */
interface GuildRulesTable {
  guild_id: string;
  cooldown_seconds: number | null;
  concurrent_max: number | null;
  age_restricted_only: number | null;
  reports_channel_id: string | null;
  updated_at_ms: number;
}

export type RuleKind = 'role' | 'channel' | 'capability' | 'member';
export type RuleEffect = 'allow' | 'deny';

/** A role, channel, capability or member that a guild's admins allow or deny. */
interface GuildRuleEntriesTable {
  guild_id: string;
  kind: RuleKind;
  target: string;
  effect: RuleEffect;
}

/** A face of a member: `pending` until they say that they may use it; `deleted` until its file is gone. */
interface FacesTable {
  id: string;
  user_id: string;
  name: string;
  state: 'pending' | 'saved' | 'deleted';
  is_default: Generated<number>;
  /** Of the picture while it is pending; else empty. */
  url: string;
  size_bytes: number | null;
  created_at_ms: number;
  attested_at_ms: number | null;
  /** Which wording they agreed to, and for where. */
  text_version: string | null;
  scope: string | null;
}

/** Whether `user_id` (empty: everybody) may use the avatar of `owner_id` in a guild. */
interface AvatarConsentsTable {
  guild_id: string;
  owner_id: string;
  user_id: string;
  is_allowed: number;
  given_at_ms: number;
  text_version: string;
}

/** Who ended it: the member, their leaving the channel, a moderator, or the end of the session. */
export type VoiceRevoker = 'member' | 'left' | 'moderator' | 'end';

/**
 * A member agreed that their speech in a voice channel is converted, or, where there is no channel (''), that their
 * camera's picture is; counts for one session.
 */
interface VoiceConsentsTable {
  guild_id: string;
  channel_id: string;
  user_id: string;
  session_id: string;
  text_version: string;
  given_at_ms: number;
  revoked_at_ms: number | null;
  revoked_by: VoiceRevoker | null;
}

/** A session of voice conversion that has not been seen to end, and the message that shows it, if any. */
interface VoicePanelsTable {
  session_id: string;
  guild_id: string;
  channel_id: string;
  stage_channel_id: string | null;
  panel_channel_id: string | null;
  message_id: string | null;
  started_at_ms: number;
}

export type RemovalKind = 'member' | 'guild';

/** Data that shall go; `secret` makes the pseudonyms and goes with the row. */
interface RemovalsTable {
  kind: RemovalKind;
  subject_id: string;
  secret: string;
  requested_at_ms: number;
  due_at_ms: number;
  attempts: Generated<number>;
}

export type CapRow = Selectable<CapsTable>;
export type CapChangeRow = Selectable<CapChangesTable>;
export type BudgetSettingsRow = Selectable<BudgetSettingsTable>;
export type SpendingRow = Selectable<SpendingTable>;
export type MeterRow = Selectable<MetersTable>;
export type BudgetAlertRow = Selectable<BudgetAlertsTable>;
export type OperatorAlertRow = Selectable<OperatorAlertsTable>;
export type NewBudgetAlert = Insertable<BudgetAlertsTable>;
export type HoldRow = Selectable<HoldsTable>;
export type EntryRow = Selectable<LedgerEntriesTable>;
export type JobRow = Selectable<JobsTable>;
export type NewJob = Insertable<JobsTable>;
export type JobPatch = Updateable<JobsTable>;
export type JobInputRow = Selectable<JobInputsTable>;
export type NewJobInput = Insertable<JobInputsTable>;
export type JobInputPatch = Updateable<JobInputsTable>;
export type InputOwnerRow = Selectable<JobInputOwnersTable>;
export type ReportRow = Selectable<ReportsTable>;
export type DeliveryRow = Selectable<WebhookDeliveriesTable>;
export type PickRow = Selectable<PicksTable>;
export type NewPick = Insertable<PicksTable>;
export type NewDelivery = Insertable<WebhookDeliveriesTable>;
export type GuildRulesRow = Selectable<GuildRulesTable>;
export type RuleEntryRow = Selectable<GuildRuleEntriesTable>;
export type FaceRow = Selectable<FacesTable>;
export type NewFace = Insertable<FacesTable>;
export type AvatarConsentRow = Selectable<AvatarConsentsTable>;
export type VoiceConsentRow = Selectable<VoiceConsentsTable>;
export type VoicePanelRow = Selectable<VoicePanelsTable>;
export type RemovalRow = Selectable<RemovalsTable>;
export type SessionRow = Selectable<SessionsTable>;
export type NewSession = Insertable<SessionsTable>;
export type SessionPatch = Updateable<SessionsTable>;
export type ReconciliationRow = Selectable<ReconciliationsTable>;
