import type { DualMigration } from '../migration.ts';

const statements = [
  `CREATE INDEX jobs_open_of_user ON jobs (user_id) WHERE stage NOT IN ('settled', 'abandoned')`,
];

/** Adds an index for a member's open jobs across all guilds, which every command counts. */
export const migration0018: DualMigration = {
  number: 18,
  name: 'open-of-member',
  statements,
  postgres: statements,
};
