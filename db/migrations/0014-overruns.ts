import type { DualMigration } from '../migration.ts';

/**
 * Adds a table of charges far above their holds that still need a review, and indexes for listing a guild's overruns,
 * newest first.
 */
export const migration0014: DualMigration = {
  number: 14,
  name: 'overruns',
  statements: [
    `CREATE TABLE overrun_watches (
  guild_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  subject TEXT NOT NULL,
  capability TEXT NOT NULL,
  held_micros INTEGER NOT NULL CHECK (held_micros > 0),
  charged_micros INTEGER NOT NULL CHECK (charged_micros > held_micros),
  made_at_ms INTEGER NOT NULL,
  PRIMARY KEY (guild_id, user_id, subject)
) STRICT, WITHOUT ROWID`,
    `CREATE INDEX overrun_watches_by_age ON overrun_watches (made_at_ms)`,
    `CREATE INDEX overrun_watches_by_subject ON overrun_watches (subject)`,
    `CREATE INDEX holds_overruns ON holds (guild_id, resolved_at_ms) WHERE overrun_micros > 0`,
    `CREATE INDEX holds_all_overruns ON holds (resolved_at_ms) WHERE overrun_micros > 0`,
  ],
  postgres: [
    `CREATE TABLE overrun_watches (
  guild_id TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  capability TEXT COLLATE "C" NOT NULL,
  held_micros BIGINT NOT NULL CHECK (held_micros > 0),
  charged_micros BIGINT NOT NULL CHECK (charged_micros > held_micros),
  made_at_ms BIGINT NOT NULL,
  PRIMARY KEY (guild_id, user_id, subject)
)`,
    `CREATE INDEX overrun_watches_by_age ON overrun_watches (made_at_ms)`,
    `CREATE INDEX overrun_watches_by_subject ON overrun_watches (subject)`,
    `CREATE INDEX holds_overruns ON holds (guild_id, resolved_at_ms) WHERE overrun_micros > 0`,
    `CREATE INDEX holds_all_overruns ON holds (resolved_at_ms) WHERE overrun_micros > 0`,
  ],
};
