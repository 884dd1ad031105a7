import type { DualMigration } from '../migration.ts';

/**
 * Adds the consents to voice conversion, the panels of running sessions, and the guild setting for continuing sessions
 * automatically.
 */
export const migration0012: DualMigration = {
  number: 12,
  name: 'voice',
  statements: [
    `CREATE TABLE voice_consents (
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
) STRICT`,
    `CREATE INDEX voice_consents_by_user ON voice_consents (user_id, given_at_ms)`,
    `CREATE INDEX voice_consents_given ON voice_consents (session_id) WHERE revoked_at_ms IS NULL`,
    `CREATE TABLE voice_panels (
  session_id TEXT PRIMARY KEY,
  guild_id TEXT NOT NULL,
  channel_id TEXT NOT NULL,
  stage_channel_id TEXT,
  panel_channel_id TEXT,
  message_id TEXT,
  started_at_ms INTEGER NOT NULL
) STRICT`,
    `CREATE INDEX voice_panels_by_guild ON voice_panels (guild_id)`,
    `CREATE INDEX voice_panels_by_age ON voice_panels (started_at_ms)`,
    `ALTER TABLE budget_settings ADD COLUMN voice_renewal INTEGER CHECK (voice_renewal IN (0, 1))`,
  ],
  postgres: [
    `CREATE TABLE voice_consents (
  guild_id TEXT COLLATE "C" NOT NULL,
  channel_id TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL,
  session_id TEXT COLLATE "C" NOT NULL,
  text_version TEXT COLLATE "C" NOT NULL,
  given_at_ms BIGINT NOT NULL,
  revoked_at_ms BIGINT,
  revoked_by TEXT COLLATE "C" CHECK (revoked_by IN ('member', 'left', 'moderator', 'end')),
  PRIMARY KEY (guild_id, channel_id, user_id),
  CHECK ((revoked_at_ms IS NULL) = (revoked_by IS NULL))
)`,
    `CREATE INDEX voice_consents_by_user ON voice_consents (user_id, given_at_ms)`,
    `CREATE INDEX voice_consents_given ON voice_consents (session_id) WHERE revoked_at_ms IS NULL`,
    `CREATE TABLE voice_panels (
  session_id TEXT COLLATE "C" PRIMARY KEY,
  guild_id TEXT COLLATE "C" NOT NULL,
  channel_id TEXT COLLATE "C" NOT NULL,
  stage_channel_id TEXT COLLATE "C",
  panel_channel_id TEXT COLLATE "C",
  message_id TEXT COLLATE "C",
  started_at_ms BIGINT NOT NULL
)`,
    `CREATE INDEX voice_panels_by_guild ON voice_panels (guild_id)`,
    `CREATE INDEX voice_panels_by_age ON voice_panels (started_at_ms)`,
    `ALTER TABLE budget_settings ADD COLUMN voice_renewal BIGINT CHECK (voice_renewal IN (0, 1))`,
  ],
};
