import type { DualMigration } from '../migration.ts';

const statements = (whole: string): readonly string[] => [
  `ALTER TABLE overrun_watches ADD COLUMN alert_due_at_ms ${whole}`,
  `ALTER TABLE overrun_watches ADD COLUMN alert_attempts ${whole} NOT NULL DEFAULT 0`,
  `CREATE INDEX overrun_alerts_due ON overrun_watches (alert_due_at_ms) WHERE alert_due_at_ms IS NOT NULL`,
];

/** Adds the time at which the guild is alerted about a charge that waits for a review. */
export const migration0019: DualMigration = {
  number: 19,
  name: 'overrun-alerts',
  statements: statements('INTEGER'),
  postgres: statements('BIGINT'),
};
