import type { DualMigration } from '../migration.ts';

const statements = [
  `CREATE INDEX jobs_open_of_user ON jobs (user_id) WHERE stage NOT IN ('settled', 'abandoned')`,
];

/** The open jobs of a member in all guilds are counted with every command. */
export const migration0018: DualMigration = {
  number: 18,
  name: 'open-of-member',
  statements,
  postgres: statements,
};
