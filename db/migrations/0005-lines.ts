import type { Migration } from '../migration.ts';

/** Puts due jobs in lines, in which guilds and members take turns. */
export const migration0005: Migration = {
  number: 5,
  name: 'lines',
  statements: [
    `ALTER TABLE jobs ADD COLUMN line TEXT`,
    `ALTER TABLE jobs ADD COLUMN turn INTEGER NOT NULL DEFAULT 0`,
    `DROP INDEX jobs_due`,
    `CREATE INDEX jobs_due ON jobs (due_at_ms) WHERE stage NOT IN ('settled', 'abandoned') AND line IS NULL`,
    `CREATE INDEX jobs_in_line ON jobs (line, turn) WHERE stage NOT IN ('settled', 'abandoned') AND line IS NOT NULL`,
    `CREATE INDEX jobs_turns ON jobs (turn)`,
    `CREATE INDEX jobs_unsent ON jobs (turn) WHERE stage IN ('accepted', 'fetched', 'uploaded', 'submitting')`,
    `CREATE INDEX jobs_unsent_of_guild ON jobs (guild_id, turn) WHERE stage IN ('accepted', 'fetched', 'uploaded', 'submitting')`,
    `CREATE INDEX jobs_at_service ON jobs (capability) WHERE stage = 'submitted'`,
    `CREATE INDEX jobs_open_by_age ON jobs (accepted_at_ms) WHERE stage NOT IN ('settled', 'abandoned')`,
  ],
};
