import type { Generated, Kysely, Transaction } from 'kysely';
import type { BudgetAlertsTable, OperatorAlertsTable } from './schema/alerts.ts';
import type { BudgetSettingsTable, CapChangesTable, CapsTable, ZoneChangesTable } from './schema/caps.ts';
import type { AvatarConsentsTable, FacesTable } from './schema/faces.ts';
import type { GuildRuleEntriesTable, GuildRulesTable } from './schema/guild-rules.ts';
import type { JobInputOwnersTable, JobInputsTable, UploadsTable } from './schema/job-inputs.ts';
import type { JobsTable } from './schema/jobs.ts';
import type { HoldsTable, LedgerEntriesTable } from './schema/ledger.ts';
import type { OverrunWatchesTable } from './schema/overruns.ts';
import type { PicksTable } from './schema/picks.ts';
import type { ReconciliationsTable } from './schema/reconciliations.ts';
import type { GoneMembersTable, RemovalsTable } from './schema/removals.ts';
import type { ReportsTable } from './schema/reports.ts';
import type { SessionsTable } from './schema/sessions.ts';
import type { MetersTable, SpendingTable } from './schema/spending.ts';
import type { UsageOwnersTable, UsageSuggestionsTable } from './schema/usage-owners.ts';
import type { UndeletedMessagesTable } from './schema/undeleted-messages.ts';
import type { VoiceConsentsTable, VoicePanelsTable } from './schema/voice.ts';
import type { WebhookDeliveriesTable } from './schema/webhook-deliveries.ts';

/** The tables that `db/migrations` creates. Times are epoch milliseconds, amounts whole micro-dollars. */
export interface Schema {
  schema_migrations: { number: number; name: string; applied_at_ms: number };
  caps: CapsTable;
  cap_changes: CapChangesTable;
  budget_settings: BudgetSettingsTable;
  zone_changes: ZoneChangesTable;
  budget_managers: { guild_id: string; role_id: string };
  spending: SpendingTable;
  meters: MetersTable;
  budget_alerts: BudgetAlertsTable;
  operator_alerts: OperatorAlertsTable;
  holds: HoldsTable;
  overrun_watches: OverrunWatchesTable;
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
  gone_members: GoneMembersTable;
  undeleted_messages: UndeletedMessagesTable;
  departed_guilds: { guild_id: string; left_at_ms: number };
  rate_log: { id: Generated<number>; key_id: string; at_ms: number };
  rate_freeze: { key_id: string; until_ms: number };
  settings: { name: string; value: string };
  reports: ReportsTable;
  voice_consents: VoiceConsentsTable;
  voice_panels: VoicePanelsTable;
  reconciliations: ReconciliationsTable;
  sessions: SessionsTable;
  usage_owners: UsageOwnersTable;
  usage_suggestions: UsageSuggestionsTable;
}

/** The database or a transaction. A query with a `Queryable` parameter may also run outside a transaction. */
export type Queryable = Kysely<Schema>;
/** A transaction. A query with a `Trx` parameter is correct only as part of a transaction. */
export type Trx = Transaction<Schema>;
