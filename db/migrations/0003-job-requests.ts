import type { Migration } from '../migration.ts';

/** Adds the data that all capabilities need: parameters, text inputs, and inputs that are already stored. */
export const migration0003: Migration = {
  number: 3,
  name: 'job-requests',
  statements: [
    `ALTER TABLE jobs ADD COLUMN parameters TEXT NOT NULL DEFAULT '{}'`,
    `ALTER TABLE jobs ADD COLUMN retry_of TEXT`,
    `CREATE TABLE job_inputs_3 (
  job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  field TEXT NOT NULL,
  option_name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('image', 'audio', 'video', 'text')),
  source TEXT NOT NULL CHECK (source IN ('chat', 'newest', 'saved_face', 'result', 'input')),
  source_id TEXT,
  url TEXT NOT NULL,
  size_bytes INTEGER,
  path TEXT,
  sha256 TEXT,
  mime TEXT,
  extension TEXT,
  file_key TEXT,
  PRIMARY KEY (job_id, field),
  CHECK ((source IN ('saved_face', 'result', 'input')) = (source_id IS NOT NULL))
) STRICT`,
    `INSERT INTO job_inputs_3 (job_id, field, option_name, kind, source, url, size_bytes, path, sha256, mime, extension, file_key)
SELECT job_id, field, option_name, kind, 'chat', url, size_bytes, path, sha256, mime, extension, file_key FROM job_inputs`,
    `DROP TABLE job_inputs`,
    `ALTER TABLE job_inputs_3 RENAME TO job_inputs`,
  ],
};
