import type { DualMigration } from '../migration.ts';

const meters = (text: string, whole: string): string => `CREATE TABLE meters (
  guild_id ${text} NOT NULL,
  user_id ${text} NOT NULL,
  capability ${text} NOT NULL,
  period ${text} NOT NULL CHECK (period IN ('day', 'week', 'month', 'total')),
  starts_at_ms ${whole} NOT NULL,
  ends_at_ms ${whole} NOT NULL CHECK (ends_at_ms > starts_at_ms),
  posted_micros ${whole} NOT NULL DEFAULT 0 CHECK (posted_micros >= 0),
  pending_micros ${whole} NOT NULL DEFAULT 0 CHECK (pending_micros >= 0),
  overrun_micros ${whole} NOT NULL DEFAULT 0 CHECK (overrun_micros >= 0 AND overrun_micros <= posted_micros),
  PRIMARY KEY (guild_id, user_id, capability, period, starts_at_ms, ends_at_ms)
)`;

const zoneChanges = (text: string, whole: string): string => `CREATE TABLE zone_changes (
  guild_id ${text} NOT NULL,
  period ${text} NOT NULL CHECK (period IN ('day', 'week', 'month')),
  counts_from_ms ${whole} NOT NULL,
  starts_at_ms ${whole} NOT NULL CHECK (starts_at_ms <= counts_from_ms),
  ends_at_ms ${whole} NOT NULL CHECK (ends_at_ms > counts_from_ms),
  zone_before ${text} NOT NULL,
  PRIMARY KEY (guild_id, period, counts_from_ms)
)`;

const goneMembers = (text: string, whole: string): string => `CREATE TABLE gone_members (
  guild_id ${text} NOT NULL,
  pseudonym ${text} NOT NULL,
  due_at_ms ${whole} NOT NULL,
  PRIMARY KEY (guild_id, pseudonym)
)`;

const indexes = [
  `CREATE INDEX meters_by_user ON meters (user_id) WHERE user_id <> ''`,
  `CREATE INDEX gone_members_due ON gone_members (due_at_ms)`,
];

/**
 * Drops the old table, whose meters are rebuilt when they are needed. In the new table, two windows of the same period
 * can start at the same time but end at different times.
 */
const dropMeters = `DROP TABLE meters`;

/**
 * Adds the windows that a change of time zone extends, and members whose data is deleted but whose limits still count.
 */
export const migration0013: DualMigration = {
  number: 13,
  name: 'limits',
  statements: [
    dropMeters,
    `${meters('TEXT', 'INTEGER')} STRICT, WITHOUT ROWID`,
    `${zoneChanges('TEXT', 'INTEGER')} STRICT, WITHOUT ROWID`,
    `${goneMembers('TEXT', 'INTEGER')} STRICT, WITHOUT ROWID`,
    ...indexes,
  ],
  postgres: [
    dropMeters,
    meters('TEXT COLLATE "C"', 'BIGINT'),
    zoneChanges('TEXT COLLATE "C"', 'BIGINT'),
    goneMembers('TEXT COLLATE "C"', 'BIGINT'),
    ...indexes,
  ],
};
