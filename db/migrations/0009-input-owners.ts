import type { Migration } from '../migration.ts';

/** Adds the owners of the pictures in jobs, and indexes for removing members' data. */
export const migration0009: Migration = {
  number: 9,
  name: 'input-owners',
  statements: [
    `CREATE TABLE job_input_owners (
  job_id TEXT NOT NULL,
  field TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('avatar', 'message', 'gone')),
  PRIMARY KEY (job_id, field, owner_id, kind),
  FOREIGN KEY (job_id, field) REFERENCES job_inputs (job_id, field) ON DELETE CASCADE
) STRICT`,
    `CREATE INDEX job_input_owners_by_owner ON job_input_owners (owner_id)`,
    `CREATE INDEX reports_by_reporter ON reports (reporter_id)`,
    `CREATE INDEX picks_of_guild ON picks (guild_id)`,
    // The queries that use this index can use jobs_by_member instead. It also includes the few jobs without a
    // requester.
    `DROP INDEX jobs_of_member`,
  ],
};
