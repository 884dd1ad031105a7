import type { DualMigration, Migration } from './migration.ts';
import { migration0001 } from './migrations/0001-jobs-and-ledger.ts';
import { migration0002 } from './migrations/0002-stage-times.ts';
import { migration0003 } from './migrations/0003-job-requests.ts';
import { migration0004 } from './migrations/0004-results.ts';
import { migration0005 } from './migrations/0005-lines.ts';
import { migration0006 } from './migrations/0006-picks.ts';
import { migration0007 } from './migrations/0007-inputs.ts';
import { migration0008 } from './migrations/0008-people.ts';
import { migration0009 } from './migrations/0009-input-owners.ts';
import { migration0010 } from './migrations/0010-budgets.ts';
import { migration0011 } from './migrations/0011-sessions.ts';
import { migration0012 } from './migrations/0012-voice.ts';
import { migration0013 } from './migrations/0013-limits.ts';
import { migration0014 } from './migrations/0014-overruns.ts';
import { migration0015 } from './migrations/0015-usage-owners.ts';
import { migration0016 } from './migrations/0016-poison-and-leftovers.ts';
import { migration0017 } from './migrations/0017-alert-parts.ts';
import { migration0018 } from './migrations/0018-open-of-member.ts';
import { migration0019 } from './migrations/0019-overrun-alerts.ts';
import { POSTGRES_BASELINE } from './postgres/postgres-baseline.ts';

/** The steps from before PostgreSQL was supported. On PostgreSQL, the baseline creates the resulting schema. */
const SQLITE_ONLY: readonly Migration[] = [
  migration0001,
  migration0002,
  migration0003,
  migration0004,
  migration0005,
  migration0006,
  migration0007,
  migration0008,
  migration0009,
  migration0010,
];

/** The later steps, which are written for both databases. */
const LATER: readonly DualMigration[] = [
  migration0011,
  migration0012,
  migration0013,
  migration0014,
  migration0015,
  migration0016,
  migration0017,
  migration0018,
  migration0019,
];

/** All SQLite steps in order. The step at index `n` has the number `n + 1`. */
export const MIGRATIONS: readonly Migration[] = [...SQLITE_ONLY, ...LATER];

/** All PostgreSQL steps in order. The first one creates the schema that results from the SQLite-only steps. */
export const POSTGRES_MIGRATIONS: readonly Migration[] = [
  ...SQLITE_ONLY.map((migration, index) => ({
    ...migration,
    statements: index === 0 ? POSTGRES_BASELINE : [],
  })),
  ...LATER.map((migration) => ({ ...migration, statements: migration.postgres })),
];
