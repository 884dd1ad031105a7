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
  `CREATE INDEX caps_by_setter ON caps (set_by)`,
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

const ACCOUNTS = ['budget', 'pending', 'spent', 'overrun', 'service', 'unattributed'];
const KINDS = ['hold', 'charge', 'overrun', 'release', 'adjustment', 'foreign'];
const STATES = ['pending', 'posted', 'voided', 'review'];

/**
 * Returns a CHECK condition that avoids an IN list. SQLite builds a temporary table from an IN list for every row,
 * which costs more than storing the row.
 */
function oneOf(column: string, values: readonly string[]): string {
  return values.map((value) => `${column} = '${value}'`).join(' OR ');
}

/**
 * Replaces the budget window of holds and entries with the quarter of an hour in which the money was held. Also adds
 * the member's roles to holds.
 */
const holds = [
  `CREATE TABLE holds_10 (
  subject TEXT PRIMARY KEY,
  guild_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  role_ids TEXT NOT NULL DEFAULT '',
  capability TEXT NOT NULL,
  amount_micros INTEGER NOT NULL CHECK (amount_micros > 0),
  state TEXT NOT NULL CHECK (${oneOf('state', STATES)}),
  charged_micros INTEGER NOT NULL DEFAULT 0 CHECK (charged_micros >= 0),
  overrun_micros INTEGER NOT NULL DEFAULT 0 CHECK (overrun_micros >= 0 AND overrun_micros <= charged_micros),
  charged_as_of_ms INTEGER,
  slot_ms INTEGER NOT NULL CHECK (slot_ms % 900000 = 0),
  rate_card TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  resolved_at_ms INTEGER,
  CHECK ((state IN ('posted', 'voided')) = (resolved_at_ms IS NOT NULL))
) STRICT`,
  `INSERT INTO holds_10 (subject, guild_id, user_id, capability, amount_micros, state, charged_micros, overrun_micros,
  charged_as_of_ms, slot_ms, rate_card, created_at_ms, resolved_at_ms)
SELECT subject, guild_id, user_id, capability, amount_micros, state, charged_micros, overrun_micros,
  charged_as_of_ms, created_at_ms / 900000 * 900000, rate_card, created_at_ms, resolved_at_ms FROM holds`,
  `CREATE TABLE ledger_entries_10 (
  id INTEGER PRIMARY KEY,
  subject TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (${oneOf('kind', KINDS)}),
  guild_id TEXT NOT NULL,
  slot_ms INTEGER NOT NULL CHECK (slot_ms % 900000 = 0),
  debit_account TEXT NOT NULL CHECK (${oneOf('debit_account', ACCOUNTS)}),
  credit_account TEXT NOT NULL CHECK (${oneOf('credit_account', ACCOUNTS)}),
  amount_micros INTEGER NOT NULL CHECK (amount_micros > 0),
  corrects INTEGER,
  created_at_ms INTEGER NOT NULL,
  CHECK (debit_account <> credit_account)
) STRICT`,
  `INSERT INTO ledger_entries_10 (id, subject, kind, guild_id, slot_ms, debit_account, credit_account, amount_micros,
  corrects, created_at_ms)
SELECT e.id, e.subject, e.kind, e.guild_id, h.created_at_ms / 900000 * 900000, e.debit_account, e.credit_account,
  e.amount_micros, CASE e.kind WHEN 'adjustment' THEN lag(e.id) OVER (PARTITION BY e.subject ORDER BY e.id) END,
  e.created_at_ms FROM ledger_entries AS e JOIN holds AS h ON h.subject = e.subject ORDER BY e.id`,
  `DROP TABLE ledger_entries`,
  `DROP TABLE holds`,
  `ALTER TABLE holds_10 RENAME TO holds`,
  `ALTER TABLE ledger_entries_10 RENAME TO ledger_entries`,
  `CREATE INDEX holds_by_slot ON holds (guild_id, slot_ms)`,
  `CREATE INDEX holds_open ON holds (created_at_ms) WHERE state IN ('pending', 'review')`,
  `CREATE INDEX holds_by_user ON holds (user_id, guild_id)`,
  `CREATE TRIGGER holds_resolve_once BEFORE UPDATE OF state ON holds
WHEN OLD.state IN ('posted', 'voided') AND NEW.state <> OLD.state
BEGIN SELECT RAISE(ABORT, 'a hold is resolved once'); END`,
  `CREATE TRIGGER holds_no_delete BEFORE DELETE ON holds
BEGIN SELECT RAISE(ABORT, 'a hold is never deleted'); END`,
  // Refuses a second entry of a kind that a subject may have only once (such a kind always debits the same account),
  // and a second adjustment that corrects the same entry.
  `CREATE UNIQUE INDEX ledger_entries_once ON ledger_entries (subject, kind, debit_account, coalesce(corrects, 0))`,
  `CREATE INDEX ledger_entries_by_slot ON ledger_entries (guild_id, slot_ms)`,
  `CREATE TRIGGER ledger_entries_no_update BEFORE UPDATE ON ledger_entries
BEGIN SELECT RAISE(ABORT, 'ledger_entries is append-only'); END`,
  `CREATE TRIGGER ledger_entries_no_delete BEFORE DELETE ON ledger_entries
BEGIN SELECT RAISE(ABORT, 'ledger_entries is append-only'); END`,
];

const oldTotals = [
  `INSERT INTO spending (guild_id, slot_ms, user_id, capability, posted_micros, pending_micros, overrun_micros)
SELECT guild_id, slot_ms, user_id, capability, sum(charged_micros),
  sum(CASE WHEN state IN ('pending', 'review') THEN amount_micros ELSE 0 END), sum(overrun_micros)
FROM holds GROUP BY guild_id, slot_ms, user_id, capability`,
  `INSERT INTO caps (guild_id, target_kind, target_id, capability, period, limit_micros, set_by, set_at_ms)
SELECT guild_id, 'guild', '', '', period, limit_micros, '', updated_at_ms FROM budgets`,
  `INSERT INTO budget_settings (guild_id, time_zone) SELECT guild_id, time_zone FROM budgets`,
  `DROP TABLE budgets`,
  `DROP TABLE budget_periods`,
];

const quotes = [
  `ALTER TABLE jobs ADD COLUMN quote_micros INTEGER`,
  `ALTER TABLE jobs ADD COLUMN asked_at_ms INTEGER`,
  `ALTER TABLE jobs ADD COLUMN confirmed_at_ms INTEGER`,
];

const reconciliation = [
  `CREATE TABLE reconciliations (
  id INTEGER PRIMARY KEY,
  made_at_ms INTEGER NOT NULL,
  is_complete INTEGER NOT NULL CHECK (is_complete IN (0, 1)),
  service_spent_micros INTEGER NOT NULL,
  service_balance_micros INTEGER NOT NULL,
  service_topped_up_micros INTEGER NOT NULL,
  spent_earlier_micros INTEGER NOT NULL,
  guilds_spent_micros INTEGER NOT NULL,
  guilds_pending_micros INTEGER NOT NULL,
  foreign_micros INTEGER NOT NULL,
  difference_micros INTEGER NOT NULL,
  drift_micros INTEGER NOT NULL,
  in_review INTEGER NOT NULL,
  undecided INTEGER NOT NULL
) STRICT`,
  `CREATE INDEX jobs_by_time ON jobs (accepted_at_ms, service_job_id)`,
  `CREATE INDEX jobs_charged_failures ON jobs (settled_at_ms)
  WHERE stage = 'settled' AND service_status = 'failed' AND charged_micros > 0`,
];

/** Adds caps on guilds, capabilities, roles and members, with their use and alerts. Also adds job prices. */
export const migration0010: Migration = {
  number: 10,
  name: 'budgets',
  statements: [...caps, ...totals, ...alerts, ...holds, ...oldTotals, ...quotes, ...reconciliation],
};
