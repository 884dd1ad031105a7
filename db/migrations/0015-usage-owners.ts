import type { DualMigration } from '../migration.ts';

/** Adds the time span of submission attempts, and the owners and suggested owners of usage records. */
export const migration0015: DualMigration = {
  number: 15,
  name: 'usage-owners',
  statements: [
    `ALTER TABLE jobs ADD COLUMN submit_from_ms INTEGER`,
    `ALTER TABLE jobs ADD COLUMN submit_to_ms INTEGER`,
    `CREATE TABLE usage_owners (
  record_id TEXT PRIMARY KEY,
  subject TEXT,
  decided_by TEXT,
  decided_at_ms INTEGER NOT NULL
) STRICT`,
    `CREATE INDEX usage_owners_by_person ON usage_owners (decided_by) WHERE decided_by IS NOT NULL`,
    `CREATE TABLE usage_suggestions (
  subject TEXT NOT NULL,
  record_id TEXT NOT NULL,
  charged_micros INTEGER NOT NULL,
  recorded_at_ms INTEGER NOT NULL,
  PRIMARY KEY (subject, record_id)
) STRICT`,
    `CREATE INDEX usage_suggestions_by_record ON usage_suggestions (record_id)`,
  ],
  postgres: [
    `ALTER TABLE jobs ADD COLUMN submit_from_ms BIGINT`,
    `ALTER TABLE jobs ADD COLUMN submit_to_ms BIGINT`,
    `CREATE TABLE usage_owners (
  record_id TEXT COLLATE "C" PRIMARY KEY,
  subject TEXT COLLATE "C",
  decided_by TEXT COLLATE "C",
  decided_at_ms BIGINT NOT NULL
)`,
    `CREATE INDEX usage_owners_by_person ON usage_owners (decided_by) WHERE decided_by IS NOT NULL`,
    `CREATE TABLE usage_suggestions (
  subject TEXT COLLATE "C" NOT NULL,
  record_id TEXT COLLATE "C" NOT NULL,
  charged_micros BIGINT NOT NULL,
  recorded_at_ms BIGINT NOT NULL,
  PRIMARY KEY (subject, record_id)
)`,
    `CREATE INDEX usage_suggestions_by_record ON usage_suggestions (record_id)`,
  ],
};
