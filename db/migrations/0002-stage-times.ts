import type { Migration } from '../migration.ts';

/** Adds the times that stage time limits need, and the number of submissions that left no job at the service. */
export const migration0002: Migration = {
  number: 2,
  name: 'stage-times',
  statements: [
    `ALTER TABLE jobs ADD COLUMN stage_since_ms INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE jobs ADD COLUMN clean_attempts INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE jobs ADD COLUMN missing_since_ms INTEGER`,
    `UPDATE jobs SET stage_since_ms = updated_at_ms`,
  ],
};
