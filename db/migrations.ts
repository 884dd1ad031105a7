import type { Migration } from './migration.ts';
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

/** Every step in order; the one at index `n` has the number `n + 1`. */
export const MIGRATIONS: readonly Migration[] = [
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
