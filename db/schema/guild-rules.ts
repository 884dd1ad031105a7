import type { Selectable } from 'kysely';

/** The rules that a guild's admins set. Null means the operator's default. */
export interface GuildRulesTable {
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
export interface GuildRuleEntriesTable {
  guild_id: string;
  kind: RuleKind;
  target: string;
  effect: RuleEffect;
}

export type GuildRulesRow = Selectable<GuildRulesTable>;
export type RuleEntryRow = Selectable<GuildRuleEntriesTable>;
