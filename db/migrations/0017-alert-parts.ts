import type { DualMigration } from '../migration.ts';

const pending = (whole: string): string => `ALTER TABLE budget_alerts ADD COLUMN pending_micros ${whole}
  NOT NULL DEFAULT 0 CHECK (pending_micros >= 0 AND pending_micros <= used_micros)`;

/** Adds to budget alerts the portion of the used amount that is only set aside. */
export const migration0017: DualMigration = {
  number: 17,
  name: 'alert-parts',
  statements: [pending('INTEGER')],
  postgres: [pending('BIGINT')],
};
