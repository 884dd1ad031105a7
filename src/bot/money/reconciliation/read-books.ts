import { sumEntriesAfter } from '../../../../db/queries/entry-sums.ts';
import type { Queryable } from '../../../../db/schema.ts';
import { addMicros } from '../../../base/money.ts';
import type { BookTotals } from './figures.ts';
import type { Checkpoint } from './reconciliation-state.ts';

const ENTRIES_AT_ONCE = 20_000;
/** Processes may commit entries out of order, but no commit takes longer than this. */
const SETTLED_MS = 600_000;

interface BooksRead {
  readonly totals: BookTotals;
  /** The point from which the next comparison reads, so that it reads only new entries, however long the history is. */
  readonly checkpoint: Checkpoint;
}

/** Computes the totals of all guilds and of foreign use from the entries. */
export async function readBooks(
  db: Queryable,
  from: Checkpoint,
  options: { readonly nowMs: number; readonly signal: AbortSignal },
): Promise<BooksRead> {
  let sum = from;
  let checkpoint = from;
  let isSettled = true;
  for (;;) {
    options.signal.throwIfAborted();
    const part = await sumEntriesAfter(db, { afterId: sum.entryId, limit: ENTRIES_AT_ONCE });
    if (part.lastEntryId === null) break;
    sum = {
      entryId: part.lastEntryId,
      spent: addMicros(sum.spent, part.spent),
      pending: addMicros(sum.pending, part.pending),
      foreign: addMicros(sum.foreign, part.foreign),
    };
    isSettled &&= (part.writtenToMs ?? 0) < options.nowMs - SETTLED_MS;
    if (isSettled) checkpoint = sum;
    if (part.entries < ENTRIES_AT_ONCE) break;
  }
  const { spent, pending, foreign } = sum;
  return { totals: { spent, pending, foreign }, checkpoint };
}
