import type { DualMigration } from '../migration.ts';

/**
 * Records the owners of saved faces for jobs from earlier versions. A saved face belongs to the member who saved it.
 */
const facesOfEarlierJobs = `INSERT INTO job_input_owners (job_id, field, owner_id, kind)
  SELECT input.job_id, input.field, jobs.user_id, 'face'
  FROM job_inputs AS input JOIN jobs ON jobs.id = input.job_id WHERE input.source = 'saved_face'`;

/**
 * Adds the number of leases that ran out without a result, the owners of saved faces, and the messages that the chat
 * does not let the bot delete.
 */
export const migration0016: DualMigration = {
  number: 16,
  name: 'poison-and-leftovers',
  statements: [
    `ALTER TABLE jobs ADD COLUMN lost_leases INTEGER NOT NULL DEFAULT 0`,
    `CREATE TABLE owners_with_faces (
  job_id TEXT NOT NULL,
  field TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('avatar', 'message', 'face', 'gone')),
  PRIMARY KEY (job_id, field, owner_id, kind),
  FOREIGN KEY (job_id, field) REFERENCES job_inputs (job_id, field) ON DELETE CASCADE
) STRICT`,
    `INSERT INTO owners_with_faces SELECT * FROM job_input_owners`,
    `DROP TABLE job_input_owners`,
    `ALTER TABLE owners_with_faces RENAME TO job_input_owners`,
    `CREATE INDEX job_input_owners_by_owner ON job_input_owners (owner_id)`,
    facesOfEarlierJobs,
    `CREATE TABLE undeleted_messages (
  message_id TEXT PRIMARY KEY,
  channel_id TEXT NOT NULL,
  guild_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  noted_at_ms INTEGER NOT NULL,
  due_at_ms INTEGER NOT NULL
) STRICT`,
    `CREATE INDEX undeleted_messages_by_user ON undeleted_messages (user_id, noted_at_ms)`,
    `CREATE INDEX undeleted_messages_by_guild ON undeleted_messages (guild_id)`,
    `CREATE INDEX undeleted_messages_by_channel ON undeleted_messages (channel_id)`,
    `CREATE INDEX undeleted_messages_due ON undeleted_messages (due_at_ms)`,
  ],
  postgres: [
    `ALTER TABLE jobs ADD COLUMN lost_leases BIGINT NOT NULL DEFAULT 0`,
    `ALTER TABLE job_input_owners DROP CONSTRAINT job_input_owners_kind_check`,
    `ALTER TABLE job_input_owners ADD CONSTRAINT job_input_owners_kind_check
  CHECK (kind IN ('avatar', 'message', 'face', 'gone'))`,
    facesOfEarlierJobs,
    `CREATE TABLE undeleted_messages (
  message_id TEXT COLLATE "C" PRIMARY KEY,
  channel_id TEXT COLLATE "C" NOT NULL,
  guild_id TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL,
  noted_at_ms BIGINT NOT NULL,
  due_at_ms BIGINT NOT NULL
)`,
    `CREATE INDEX undeleted_messages_by_user ON undeleted_messages (user_id, noted_at_ms)`,
    `CREATE INDEX undeleted_messages_by_guild ON undeleted_messages (guild_id)`,
    `CREATE INDEX undeleted_messages_by_channel ON undeleted_messages (channel_id)`,
    `CREATE INDEX undeleted_messages_due ON undeleted_messages (due_at_ms)`,
  ],
};
