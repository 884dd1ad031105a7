CREATE TABLE avatar_consents (
  guild_id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  is_allowed INTEGER NOT NULL CHECK (is_allowed IN (0, 1)),
  given_at_ms INTEGER NOT NULL,
  text_version TEXT NOT NULL,
  PRIMARY KEY (guild_id, owner_id, user_id)
) STRICT;

CREATE INDEX avatar_consents_by_owner ON avatar_consents (owner_id);

CREATE INDEX avatar_consents_by_user ON avatar_consents (user_id);

CREATE TABLE budget_alerts (
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
  told_at_ms INTEGER, pending_micros INTEGER
  NOT NULL DEFAULT 0 CHECK (pending_micros >= 0 AND pending_micros <= used_micros),
  UNIQUE (guild_id, target_kind, target_id, user_id, capability, period, starts_at_ms, percent)
) STRICT;

CREATE INDEX budget_alerts_by_user ON budget_alerts (user_id) WHERE user_id <> '';

CREATE INDEX budget_alerts_due ON budget_alerts (due_at_ms) WHERE told_at_ms IS NULL;

CREATE TABLE budget_managers (
  guild_id TEXT NOT NULL,
  role_id TEXT NOT NULL,
  PRIMARY KEY (guild_id, role_id)
) STRICT;

CREATE TABLE budget_settings (
  guild_id TEXT PRIMARY KEY,
  time_zone TEXT,
  confirm_above_micros INTEGER CHECK (confirm_above_micros >= 0),
  alerts_channel_id TEXT
, voice_renewal INTEGER CHECK (voice_renewal IN (0, 1))) STRICT;

CREATE TABLE cap_changes (
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
) STRICT;

CREATE INDEX cap_changes_by_changer ON cap_changes (changed_by);

CREATE INDEX cap_changes_by_guild ON cap_changes (guild_id, id);

CREATE INDEX cap_changes_of_members ON cap_changes (target_id) WHERE target_kind = 'member';

CREATE TABLE caps (
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
) STRICT;

CREATE INDEX caps_by_setter ON caps (set_by);

CREATE INDEX caps_of_members ON caps (target_id) WHERE target_kind = 'member';

CREATE TABLE departed_guilds (
  guild_id TEXT PRIMARY KEY,
  left_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX departed_guilds_by_time ON departed_guilds (left_at_ms);

CREATE TABLE faces (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  name TEXT NOT NULL COLLATE NOCASE,
  state TEXT NOT NULL CHECK (state IN ('pending', 'saved', 'deleted')),
  is_default INTEGER NOT NULL DEFAULT 0 CHECK (is_default IN (0, 1)),
  url TEXT NOT NULL,
  size_bytes INTEGER,
  created_at_ms INTEGER NOT NULL,
  attested_at_ms INTEGER,
  text_version TEXT,
  scope TEXT,
  CHECK (state <> 'saved' OR (attested_at_ms IS NOT NULL AND text_version IS NOT NULL AND scope IS NOT NULL))
) STRICT;

CREATE UNIQUE INDEX faces_by_name ON faces (user_id, name) WHERE state = 'saved';

CREATE INDEX faces_by_user ON faces (user_id, created_at_ms);

CREATE UNIQUE INDEX faces_default ON faces (user_id) WHERE state = 'saved' AND is_default = 1;

CREATE INDEX faces_to_remove ON faces (created_at_ms) WHERE state <> 'saved';

CREATE TABLE gone_members (
  guild_id TEXT NOT NULL,
  pseudonym TEXT NOT NULL,
  due_at_ms INTEGER NOT NULL,
  PRIMARY KEY (guild_id, pseudonym)
) STRICT, WITHOUT ROWID;

CREATE INDEX gone_members_due ON gone_members (due_at_ms);

CREATE TABLE guild_rule_entries (
  guild_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('role', 'channel', 'capability', 'member')),
  target TEXT NOT NULL,
  effect TEXT NOT NULL CHECK (effect IN ('allow', 'deny')),
  PRIMARY KEY (guild_id, kind, target)
) STRICT;

CREATE INDEX guild_rule_entries_of_members ON guild_rule_entries (target) WHERE kind = 'member';

CREATE TABLE guild_rules (
  guild_id TEXT PRIMARY KEY,
  cooldown_seconds INTEGER CHECK (cooldown_seconds >= 0),
  concurrent_max INTEGER CHECK (concurrent_max > 0),
  age_restricted_only INTEGER CHECK (age_restricted_only IN (0, 1)),
  reports_channel_id TEXT,
  updated_at_ms INTEGER NOT NULL
) STRICT;

CREATE TRIGGER holds_no_delete BEFORE DELETE ON holds
BEGIN SELECT RAISE(ABORT, 'a hold is never deleted'); END;

CREATE TRIGGER holds_resolve_once BEFORE UPDATE OF state ON holds
WHEN OLD.state IN ('posted', 'voided') AND NEW.state <> OLD.state
BEGIN SELECT RAISE(ABORT, 'a hold is resolved once'); END;

CREATE TABLE "holds" (
  subject TEXT PRIMARY KEY,
  guild_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  role_ids TEXT NOT NULL DEFAULT '',
  capability TEXT NOT NULL,
  amount_micros INTEGER NOT NULL CHECK (amount_micros > 0),
  state TEXT NOT NULL CHECK (state = 'pending' OR state = 'posted' OR state = 'voided' OR state = 'review'),
  charged_micros INTEGER NOT NULL DEFAULT 0 CHECK (charged_micros >= 0),
  overrun_micros INTEGER NOT NULL DEFAULT 0 CHECK (overrun_micros >= 0 AND overrun_micros <= charged_micros),
  charged_as_of_ms INTEGER,
  slot_ms INTEGER NOT NULL CHECK (slot_ms % 900000 = 0),
  rate_card TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  resolved_at_ms INTEGER,
  CHECK ((state IN ('posted', 'voided')) = (resolved_at_ms IS NOT NULL))
) STRICT;

CREATE INDEX holds_all_overruns ON holds (resolved_at_ms) WHERE overrun_micros > 0;

CREATE INDEX holds_by_slot ON holds (guild_id, slot_ms);

CREATE INDEX holds_by_user ON holds (user_id, guild_id);

CREATE INDEX holds_open ON holds (created_at_ms) WHERE state IN ('pending', 'review');

CREATE INDEX holds_overruns ON holds (guild_id, resolved_at_ms) WHERE overrun_micros > 0;

CREATE TABLE "job_input_owners" (
  job_id TEXT NOT NULL,
  field TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('avatar', 'message', 'face', 'gone')),
  PRIMARY KEY (job_id, field, owner_id, kind),
  FOREIGN KEY (job_id, field) REFERENCES job_inputs (job_id, field) ON DELETE CASCADE
) STRICT;

CREATE INDEX job_input_owners_by_owner ON job_input_owners (owner_id);

CREATE TABLE "job_inputs" (
  job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  field TEXT NOT NULL,
  option_name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('image', 'audio', 'video', 'text')),
  source TEXT NOT NULL CHECK (source IN ('chat', 'newest', 'saved_face', 'result', 'input')),
  source_id TEXT,
  url TEXT NOT NULL,
  size_bytes INTEGER,
  path TEXT,
  sha256 TEXT,
  mime TEXT,
  extension TEXT,
  file_key TEXT, duration_ms INTEGER, kept_since_ms INTEGER, reuse TEXT NOT NULL DEFAULT 'allowed' CHECK (reuse IN ('allowed', 'used', 'refused')),
  PRIMARY KEY (job_id, field),
  CHECK ((source IN ('saved_face', 'result', 'input')) = (source_id IS NOT NULL))
) STRICT;

CREATE INDEX job_inputs_kept ON job_inputs (kept_since_ms) WHERE path IS NOT NULL;

CREATE TRIGGER jobs_terminal BEFORE UPDATE OF stage ON jobs
WHEN OLD.stage IN ('settled', 'abandoned') AND NEW.stage <> OLD.stage
BEGIN SELECT RAISE(ABORT, 'a job does not leave a terminal stage'); END;

CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  interaction_id TEXT NOT NULL UNIQUE,
  capability TEXT NOT NULL,
  application_id TEXT NOT NULL,
  guild_id TEXT NOT NULL,
  channel_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  interaction_token TEXT NOT NULL,
  token_expires_at_ms INTEGER NOT NULL,
  reply_message_id TEXT,
  attachment_size_limit_bytes INTEGER NOT NULL,
  stage TEXT NOT NULL CHECK (stage IN ('accepted', 'fetched', 'uploaded', 'submitting', 'submitted', 'finished',
    'charged', 'collected', 'posted', 'settled', 'abandoned')),
  outcome TEXT CHECK (outcome IN ('succeeded', 'failed', 'unknown')),
  failure TEXT,
  idempotency_key TEXT NOT NULL UNIQUE,
  callback_token TEXT NOT NULL UNIQUE,
  request_body TEXT,
  service_job_id TEXT UNIQUE,
  status_url TEXT,
  service_status TEXT,
  output_url TEXT,
  charged_micros INTEGER,
  result_path TEXT,
  result_sha256 TEXT,
  result_mime TEXT,
  result_bytes INTEGER,
  result_message_id TEXT,
  hold_micros INTEGER NOT NULL CHECK (hold_micros > 0),
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at_ms INTEGER NOT NULL,
  woken_at_ms INTEGER,
  lease_owner TEXT,
  lease_until_ms INTEGER,
  fence INTEGER NOT NULL DEFAULT 0,
  accepted_at_ms INTEGER NOT NULL,
  acknowledged_at_ms INTEGER,
  submitted_at_ms INTEGER,
  finished_at_ms INTEGER,
  settled_at_ms INTEGER,
  updated_at_ms INTEGER NOT NULL, stage_since_ms INTEGER NOT NULL DEFAULT 0, clean_attempts INTEGER NOT NULL DEFAULT 0, missing_since_ms INTEGER, parameters TEXT NOT NULL DEFAULT '{}', retry_of TEXT, chat_path TEXT, chat_mime TEXT, undelivered TEXT, taken_back TEXT CHECK (taken_back IN ('cancelled', 'deleted')), line TEXT, turn INTEGER NOT NULL DEFAULT 0, quote_micros INTEGER, asked_at_ms INTEGER, confirmed_at_ms INTEGER, submit_from_ms INTEGER, submit_to_ms INTEGER, lost_leases INTEGER NOT NULL DEFAULT 0,
  CHECK ((lease_owner IS NULL) = (lease_until_ms IS NULL))
) STRICT;

CREATE INDEX jobs_at_service ON jobs (capability) WHERE stage = 'submitted';

CREATE INDEX jobs_by_member ON jobs (guild_id, user_id, accepted_at_ms);

CREATE INDEX jobs_by_result_message ON jobs (result_message_id) WHERE result_message_id IS NOT NULL;

CREATE INDEX jobs_by_time ON jobs (accepted_at_ms, service_job_id);

CREATE INDEX jobs_by_user ON jobs (user_id, accepted_at_ms);

CREATE INDEX jobs_charged_failures ON jobs (settled_at_ms)
  WHERE stage = 'settled' AND service_status = 'failed' AND charged_micros > 0;

CREATE INDEX jobs_due ON jobs (due_at_ms) WHERE stage NOT IN ('settled', 'abandoned') AND line IS NULL;

CREATE INDEX jobs_in_line ON jobs (line, turn) WHERE stage NOT IN ('settled', 'abandoned') AND line IS NOT NULL;

CREATE INDEX jobs_kept_results ON jobs (settled_at_ms) WHERE stage = 'settled' AND result_path IS NOT NULL;

CREATE INDEX jobs_of_guild ON jobs (guild_id, accepted_at_ms) WHERE stage <> 'abandoned';

CREATE INDEX jobs_open ON jobs (guild_id, accepted_at_ms) WHERE stage NOT IN ('settled', 'abandoned');

CREATE INDEX jobs_open_by_age ON jobs (accepted_at_ms) WHERE stage NOT IN ('settled', 'abandoned');

CREATE INDEX jobs_open_of_user ON jobs (user_id) WHERE stage NOT IN ('settled', 'abandoned');

CREATE INDEX jobs_open_retries ON jobs (retry_of)
  WHERE retry_of IS NOT NULL AND stage NOT IN ('settled', 'abandoned');

CREATE INDEX jobs_succeeded ON jobs (capability, settled_at_ms) WHERE outcome = 'succeeded' AND stage = 'settled';

CREATE INDEX jobs_to_clear ON jobs (settled_at_ms)
  WHERE taken_back = 'deleted' AND (reply_message_id IS NOT NULL OR result_path IS NOT NULL);

CREATE INDEX jobs_turns ON jobs (turn);

CREATE INDEX jobs_unsent ON jobs (turn) WHERE stage IN ('accepted', 'fetched', 'uploaded', 'submitting');

CREATE INDEX jobs_unsent_of_guild ON jobs (guild_id, turn) WHERE stage IN ('accepted', 'fetched', 'uploaded', 'submitting');

CREATE TRIGGER ledger_entries_no_delete BEFORE DELETE ON ledger_entries
BEGIN SELECT RAISE(ABORT, 'ledger_entries is append-only'); END;

CREATE TRIGGER ledger_entries_no_update BEFORE UPDATE ON ledger_entries
BEGIN SELECT RAISE(ABORT, 'ledger_entries is append-only'); END;

CREATE TABLE "ledger_entries" (
  id INTEGER PRIMARY KEY,
  subject TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind = 'hold' OR kind = 'charge' OR kind = 'overrun' OR kind = 'release' OR kind = 'adjustment' OR kind = 'foreign'),
  guild_id TEXT NOT NULL,
  slot_ms INTEGER NOT NULL CHECK (slot_ms % 900000 = 0),
  debit_account TEXT NOT NULL CHECK (debit_account = 'budget' OR debit_account = 'pending' OR debit_account = 'spent' OR debit_account = 'overrun' OR debit_account = 'service' OR debit_account = 'unattributed'),
  credit_account TEXT NOT NULL CHECK (credit_account = 'budget' OR credit_account = 'pending' OR credit_account = 'spent' OR credit_account = 'overrun' OR credit_account = 'service' OR credit_account = 'unattributed'),
  amount_micros INTEGER NOT NULL CHECK (amount_micros > 0),
  corrects INTEGER,
  created_at_ms INTEGER NOT NULL,
  CHECK (debit_account <> credit_account)
) STRICT;

CREATE INDEX ledger_entries_by_slot ON ledger_entries (guild_id, slot_ms);

CREATE UNIQUE INDEX ledger_entries_once ON ledger_entries (subject, kind, debit_account, coalesce(corrects, 0));

CREATE TABLE meters (
  guild_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  capability TEXT NOT NULL,
  period TEXT NOT NULL CHECK (period IN ('day', 'week', 'month', 'total')),
  starts_at_ms INTEGER NOT NULL,
  ends_at_ms INTEGER NOT NULL CHECK (ends_at_ms > starts_at_ms),
  posted_micros INTEGER NOT NULL DEFAULT 0 CHECK (posted_micros >= 0),
  pending_micros INTEGER NOT NULL DEFAULT 0 CHECK (pending_micros >= 0),
  overrun_micros INTEGER NOT NULL DEFAULT 0 CHECK (overrun_micros >= 0 AND overrun_micros <= posted_micros),
  PRIMARY KEY (guild_id, user_id, capability, period, starts_at_ms, ends_at_ms)
) STRICT, WITHOUT ROWID;

CREATE INDEX meters_by_user ON meters (user_id) WHERE user_id <> '';

CREATE TABLE never_swap (
  user_id TEXT PRIMARY KEY,
  since_ms INTEGER NOT NULL,
  text_version TEXT NOT NULL
) STRICT;

CREATE TABLE operator_alerts (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  facts TEXT NOT NULL,
  made_at_ms INTEGER NOT NULL,
  due_at_ms INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  told_at_ms INTEGER,
  over_at_ms INTEGER
) STRICT;

CREATE INDEX operator_alerts_due ON operator_alerts (due_at_ms) WHERE told_at_ms IS NULL;

CREATE UNIQUE INDEX operator_alerts_open ON operator_alerts (kind) WHERE over_at_ms IS NULL;

CREATE TABLE overrun_watches (
  guild_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  subject TEXT NOT NULL,
  capability TEXT NOT NULL,
  held_micros INTEGER NOT NULL CHECK (held_micros > 0),
  charged_micros INTEGER NOT NULL CHECK (charged_micros > held_micros),
  made_at_ms INTEGER NOT NULL, alert_due_at_ms INTEGER, alert_attempts INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (guild_id, user_id, subject)
) STRICT, WITHOUT ROWID;

CREATE INDEX overrun_alerts_due ON overrun_watches (alert_due_at_ms) WHERE alert_due_at_ms IS NOT NULL;

CREATE INDEX overrun_watches_by_age ON overrun_watches (made_at_ms);

CREATE INDEX overrun_watches_by_subject ON overrun_watches (subject);

CREATE TABLE picks (
  id TEXT PRIMARY KEY,
  guild_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  files TEXT NOT NULL,
  made_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX picks_by_age ON picks (made_at_ms);

CREATE INDEX picks_of_guild ON picks (guild_id);

CREATE INDEX picks_of_user ON picks (user_id, made_at_ms);

CREATE TABLE rate_freeze (
  key_id TEXT PRIMARY KEY,
  until_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE rate_log (
  id INTEGER PRIMARY KEY,
  key_id TEXT NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX rate_log_by_key ON rate_log (key_id, at_ms);

CREATE TABLE reconciliations (
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
) STRICT;

CREATE TABLE removals (
  kind TEXT NOT NULL CHECK (kind IN ('member', 'guild')),
  subject_id TEXT NOT NULL,
  secret TEXT NOT NULL,
  requested_at_ms INTEGER NOT NULL,
  due_at_ms INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (kind, subject_id)
) STRICT;

CREATE INDEX removals_due ON removals (due_at_ms);

CREATE TABLE reports (
  id TEXT PRIMARY KEY,
  job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  guild_id TEXT NOT NULL,
  reporter_id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  UNIQUE (job_id, reporter_id)
) STRICT;

CREATE INDEX reports_by_reporter ON reports (reporter_id);

CREATE INDEX reports_of_guild ON reports (guild_id, created_at_ms);

CREATE TABLE schema_migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at_ms INTEGER NOT NULL) STRICT;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  guild_id TEXT NOT NULL,
  channel_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  capability TEXT NOT NULL,
  voice_id TEXT,
  state TEXT NOT NULL CHECK (state IN ('opening', 'open', 'ended', 'settled')),
  service_session_id TEXT,
  granted_seconds INTEGER CHECK (granted_seconds > 0),
  max_cost_micros INTEGER CHECK (max_cost_micros >= 0),
  opened_at_ms INTEGER NOT NULL,
  connected_at_ms INTEGER,
  metered_ms INTEGER NOT NULL DEFAULT 0 CHECK (metered_ms >= 0),
  ended_at_ms INTEGER,
  end_reason TEXT,
  charged_micros INTEGER CHECK (charged_micros >= 0),
  usage_reason TEXT,
  settled_at_ms INTEGER,
  owner TEXT NOT NULL,
  lease_until_ms INTEGER NOT NULL,
  looks INTEGER NOT NULL DEFAULT 0,
  due_at_ms INTEGER,
  CHECK ((state IN ('ended', 'settled')) = (ended_at_ms IS NOT NULL)),
  CHECK ((state = 'settled') = (settled_at_ms IS NOT NULL AND charged_micros IS NOT NULL))
) STRICT;

CREATE INDEX sessions_by_guild ON sessions (guild_id, user_id);

CREATE INDEX sessions_by_service_id ON sessions (service_session_id) WHERE service_session_id IS NOT NULL;

CREATE INDEX sessions_by_time ON sessions (opened_at_ms) WHERE service_session_id IS NOT NULL;

CREATE INDEX sessions_by_user ON sessions (user_id, opened_at_ms);

CREATE INDEX sessions_due ON sessions (due_at_ms) WHERE state = 'ended' AND due_at_ms IS NOT NULL;

CREATE INDEX sessions_running ON sessions (lease_until_ms) WHERE state IN ('opening', 'open');

CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

CREATE TABLE spending (
  guild_id TEXT NOT NULL,
  slot_ms INTEGER NOT NULL,
  user_id TEXT NOT NULL,
  capability TEXT NOT NULL,
  posted_micros INTEGER NOT NULL DEFAULT 0 CHECK (posted_micros >= 0),
  pending_micros INTEGER NOT NULL DEFAULT 0 CHECK (pending_micros >= 0),
  overrun_micros INTEGER NOT NULL DEFAULT 0 CHECK (overrun_micros >= 0 AND overrun_micros <= posted_micros),
  PRIMARY KEY (guild_id, slot_ms, user_id, capability)
) STRICT, WITHOUT ROWID;

CREATE INDEX spending_by_member ON spending (guild_id, user_id, slot_ms);

CREATE INDEX spending_by_user ON spending (user_id);

CREATE TABLE undeleted_messages (
  message_id TEXT PRIMARY KEY,
  channel_id TEXT NOT NULL,
  guild_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  noted_at_ms INTEGER NOT NULL,
  due_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX undeleted_messages_by_channel ON undeleted_messages (channel_id);

CREATE INDEX undeleted_messages_by_guild ON undeleted_messages (guild_id);

CREATE INDEX undeleted_messages_by_user ON undeleted_messages (user_id, noted_at_ms);

CREATE INDEX undeleted_messages_due ON undeleted_messages (due_at_ms);

CREATE TABLE uploads (
  id INTEGER PRIMARY KEY,
  job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  field TEXT NOT NULL,
  user_id TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('sending', 'kept', 'orphan', 'rejected')),
  file_key TEXT,
  created_at_ms INTEGER NOT NULL,
  CHECK ((state IN ('kept', 'rejected')) = (file_key IS NOT NULL))
) STRICT;

CREATE INDEX uploads_by_age ON uploads (created_at_ms);

CREATE INDEX uploads_by_input ON uploads (job_id, field);

CREATE INDEX uploads_kept ON uploads (user_id, sha256, created_at_ms) WHERE state = 'kept';

CREATE TABLE usage_owners (
  record_id TEXT PRIMARY KEY,
  subject TEXT,
  decided_by TEXT,
  decided_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX usage_owners_by_person ON usage_owners (decided_by) WHERE decided_by IS NOT NULL;

CREATE TABLE usage_suggestions (
  subject TEXT NOT NULL,
  record_id TEXT NOT NULL,
  charged_micros INTEGER NOT NULL,
  recorded_at_ms INTEGER NOT NULL,
  PRIMARY KEY (subject, record_id)
) STRICT;

CREATE INDEX usage_suggestions_by_record ON usage_suggestions (record_id);

CREATE TABLE voice_consents (
  guild_id TEXT NOT NULL,
  channel_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  text_version TEXT NOT NULL,
  given_at_ms INTEGER NOT NULL,
  revoked_at_ms INTEGER,
  revoked_by TEXT CHECK (revoked_by IN ('member', 'left', 'moderator', 'end')),
  PRIMARY KEY (guild_id, channel_id, user_id),
  CHECK ((revoked_at_ms IS NULL) = (revoked_by IS NULL))
) STRICT;

CREATE INDEX voice_consents_by_user ON voice_consents (user_id, given_at_ms);

CREATE INDEX voice_consents_given ON voice_consents (session_id) WHERE revoked_at_ms IS NULL;

CREATE TABLE voice_panels (
  session_id TEXT PRIMARY KEY,
  guild_id TEXT NOT NULL,
  channel_id TEXT NOT NULL,
  stage_channel_id TEXT,
  panel_channel_id TEXT,
  message_id TEXT,
  started_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX voice_panels_by_age ON voice_panels (started_at_ms);

CREATE INDEX voice_panels_by_guild ON voice_panels (guild_id);

CREATE TABLE webhook_deliveries (
  delivery_id TEXT PRIMARY KEY,
  service_job_id TEXT NOT NULL,
  callback_token TEXT,
  body BLOB NOT NULL,
  received_at_ms INTEGER NOT NULL,
  processed_at_ms INTEGER
) STRICT;

CREATE INDEX webhook_deliveries_by_job ON webhook_deliveries (service_job_id);

CREATE INDEX webhook_deliveries_by_token ON webhook_deliveries (callback_token);

CREATE INDEX webhook_deliveries_processed ON webhook_deliveries (processed_at_ms) WHERE processed_at_ms IS NOT NULL;

CREATE INDEX webhook_deliveries_unprocessed ON webhook_deliveries (received_at_ms) WHERE processed_at_ms IS NULL;

CREATE TABLE zone_changes (
  guild_id TEXT NOT NULL,
  period TEXT NOT NULL CHECK (period IN ('day', 'week', 'month')),
  counts_from_ms INTEGER NOT NULL,
  starts_at_ms INTEGER NOT NULL CHECK (starts_at_ms <= counts_from_ms),
  ends_at_ms INTEGER NOT NULL CHECK (ends_at_ms > counts_from_ms),
  zone_before TEXT NOT NULL,
  PRIMARY KEY (guild_id, period, counts_from_ms)
) STRICT, WITHOUT ROWID;
