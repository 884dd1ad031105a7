import type { Migration } from '../migration.ts';

const caps = [
  `CREATE TABLE caps (
  guild_id TEXT NOT NULL,
  target_kind TEXT NOT NULL CHECK (target_kind IN ('operator', 'guild', 'role', 'member')),
  target_id TEXT NOT NULL,
  capability TEXT NOT NULL,
  period TEXT NOT NULL CHECK (period IN ('day', 'week', 'month', 'total')),
  limit_micros INTEGER NOT NULL CHECK (limit_micros >= 0),
  set_by TEXT NOT NULL,
  set_at_ms INTEGER NOT NULL,
  PRIMARY KEY (guild_id, target_kind, target_id, capability, period),
  CHECK ((target_kind IN ('operator', 'guild')) = (target_id = '')),
  CHECK (target_kind <> 'operator' OR capability = '')
) STRICT`,
  `CREATE INDEX caps_of_members ON caps (target_id) WHERE target_kind = 'member'`,
  `CREATE TABLE cap_changes (
  id INTEGER PRIMARY KEY,
  guild_id TEXT NOT NULL,
  target_kind TEXT NOT NULL,
  target_id TEXT NOT NULL,
  capability TEXT NOT NULL,
  period TEXT NOT NULL,
  before_micros INTEGER,
  after_micros INTEGER,
  changed_by TEXT NOT NULL,
  changed_at_ms INTEGER NOT NULL
) STRICT`,
  `CREATE INDEX cap_changes_by_guild ON cap_changes (guild_id, id)`,
  `CREATE INDEX cap_changes_by_changer ON cap_changes (changed_by)`,
  `CREATE INDEX cap_changes_of_members ON cap_changes (target_id) WHERE target_kind = 'member'`,
  `CREATE TABLE budget_settings (
  guild_id TEXT PRIMARY KEY,
  time_zone TEXT,
  confirm_above_micros INTEGER CHECK (confirm_above_micros >= 0),
  alerts_channel_id TEXT
) STRICT`,
  `CREATE TABLE budget_managers (
  guild_id TEXT NOT NULL,
  role_id TEXT NOT NULL,
  PRIMARY KEY (guild_id, role_id)
) STRICT`,
];

const totals = [
  `CREATE TABLE spending (
  guild_id TEXT NOT NULL,
  slot_ms INTEGER NOT NULL,
  user_id TEXT NOT NULL,
  capability TEXT NOT NULL,
  posted_micros INTEGER NOT NULL DEFAULT 0 CHECK (posted_micros >= 0),
  pending_micros INTEGER NOT NULL DEFAULT 0 CHECK (pending_micros >= 0),
  overrun_micros INTEGER NOT NULL DEFAULT 0 CHECK (overrun_micros >= 0 AND overrun_micros <= posted_micros),
  PRIMARY KEY (guild_id, slot_ms, user_id, capability)
) STRICT, WITHOUT ROWID`,
  `CREATE INDEX spending_by_member ON spending (guild_id, user_id, slot_ms)`,
  `CREATE INDEX spending_by_user ON spending (user_id)`,
  `CREATE TABLE meters (
  guild_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  capability TEXT NOT NULL,
  period TEXT NOT NULL CHECK (period IN ('day', 'week', 'month', 'total')),
  starts_at_ms INTEGER NOT NULL,
  ends_at_ms INTEGER NOT NULL CHECK (ends_at_ms > starts_at_ms),
  posted_micros INTEGER NOT NULL DEFAULT 0 CHECK (posted_micros >= 0),
  pending_micros INTEGER NOT NULL DEFAULT 0 CHECK (pending_micros >= 0),
  overrun_micros INTEGER NOT NULL DEFAULT 0 CHECK (overrun_micros >= 0 AND overrun_micros <= posted_micros),
  PRIMARY KEY (guild_id, user_id, capability, period, starts_at_ms)
) STRICT, WITHOUT ROWID`,
  `CREATE INDEX meters_by_user ON meters (user_id) WHERE user_id <> ''`,
];

const alerts = [
  `CREATE TABLE budget_alerts (
  id TEXT PRIMARY KEY,
  guild_id TEXT NOT NULL,
  target_kind TEXT NOT NULL,
  target_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  capability TEXT NOT NULL,
  period TEXT NOT NULL,
  starts_at_ms INTEGER NOT NULL,
  ends_at_ms INTEGER NOT NULL,
  percent INTEGER NOT NULL CHECK (percent IN (50, 80, 100)),
  limit_micros INTEGER NOT NULL,
  used_micros INTEGER NOT NULL,
  made_at_ms INTEGER NOT NULL,
  due_at_ms INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  told_at_ms INTEGER,
  UNIQUE (guild_id, target_kind, target_id, user_id, capability, period, starts_at_ms, percent)
) STRICT`,
  `CREATE INDEX budget_alerts_due ON budget_alerts (due_at_ms) WHERE told_at_ms IS NULL`,
  `CREATE INDEX budget_alerts_by_user ON budget_alerts (user_id) WHERE user_id <> ''`,
  `CREATE TABLE operator_alerts (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  facts TEXT NOT NULL,
  made_at_ms INTEGER NOT NULL,
  due_at_ms INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  told_at_ms INTEGER,
  over_at_ms INTEGER
) STRICT`,
  `CREATE UNIQUE INDEX operator_alerts_open ON operator_alerts (kind) WHERE over_at_ms IS NULL`,
  `CREATE INDEX operator_alerts_due ON operator_alerts (due_at_ms) WHERE told_at_ms IS NULL`,
];

const quotes = [
  `ALTER TABLE jobs ADD COLUMN quote_micros INTEGER`,
  `ALTER TABLE jobs ADD COLUMN asked_at_ms INTEGER`,
  `ALTER TABLE jobs ADD COLUMN confirmed_at_ms INTEGER`,
];

/** Caps of guilds, capabilities, roles and members; what each has used; what is told of it; jobs that were priced. */
export const migration0010: Migration = {
  number: 10,
  name: 'budgets',
  statements: [...caps, ...totals, ...alerts, ...quotes],
};
