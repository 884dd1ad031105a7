import type { Migration } from '../migration.ts';

const access = [
  `CREATE TABLE guild_rules (
  guild_id TEXT PRIMARY KEY,
  cooldown_seconds INTEGER CHECK (cooldown_seconds >= 0),
  concurrent_max INTEGER CHECK (concurrent_max > 0),
  age_restricted_only INTEGER CHECK (age_restricted_only IN (0, 1)),
  reports_channel_id TEXT,
  updated_at_ms INTEGER NOT NULL
) STRICT`,
  `CREATE TABLE guild_rule_entries (
  guild_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('role', 'channel', 'capability', 'member')),
  target TEXT NOT NULL,
  effect TEXT NOT NULL CHECK (effect IN ('allow', 'deny')),
  PRIMARY KEY (guild_id, kind, target)
) STRICT`,
  `CREATE INDEX guild_rule_entries_of_members ON guild_rule_entries (target) WHERE kind = 'member'`,
];

const faces = [
  `CREATE TABLE faces (
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
) STRICT`,
  `CREATE UNIQUE INDEX faces_by_name ON faces (user_id, name) WHERE state = 'saved'`,
  `CREATE UNIQUE INDEX faces_default ON faces (user_id) WHERE state = 'saved' AND is_default = 1`,
  `CREATE INDEX faces_by_user ON faces (user_id, created_at_ms)`,
  `CREATE INDEX faces_to_remove ON faces (created_at_ms) WHERE state <> 'saved'`,
];

const consents = [
  `CREATE TABLE avatar_consents (
  guild_id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  is_allowed INTEGER NOT NULL CHECK (is_allowed IN (0, 1)),
  given_at_ms INTEGER NOT NULL,
  text_version TEXT NOT NULL,
  PRIMARY KEY (guild_id, owner_id, user_id)
) STRICT`,
  `CREATE INDEX avatar_consents_by_owner ON avatar_consents (owner_id)`,
  `CREATE INDEX avatar_consents_by_user ON avatar_consents (user_id)`,
  `CREATE TABLE never_swap (
  user_id TEXT PRIMARY KEY,
  since_ms INTEGER NOT NULL,
  text_version TEXT NOT NULL
) STRICT`,
];

const removals = [
  `CREATE TABLE removals (
  kind TEXT NOT NULL CHECK (kind IN ('member', 'guild')),
  subject_id TEXT NOT NULL,
  secret TEXT NOT NULL,
  requested_at_ms INTEGER NOT NULL,
  due_at_ms INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (kind, subject_id)
) STRICT`,
  `CREATE INDEX removals_due ON removals (due_at_ms)`,
  `CREATE TABLE departed_guilds (
  guild_id TEXT PRIMARY KEY,
  left_at_ms INTEGER NOT NULL
) STRICT`,
  `CREATE INDEX departed_guilds_by_time ON departed_guilds (left_at_ms)`,
];

const jobs = [
  `CREATE INDEX jobs_by_member ON jobs (guild_id, user_id, accepted_at_ms)`,
  `CREATE INDEX jobs_by_user ON jobs (user_id, accepted_at_ms)`,
  `CREATE INDEX holds_by_user ON holds (user_id)`,
];

/** Adds guild rules, saved faces, consents and pending removals. */
export const migration0008: Migration = {
  number: 8,
  name: 'people',
  statements: [...access, ...faces, ...consents, ...removals, ...jobs],
};
