import type { TransactionBuilder } from 'kysely';
import type { Schema, Trx } from './schema.ts';

/** The functions to call after each transaction's commit. */
const waiting = new WeakMap<Trx, (() => void)[]>();

/**
 * Calls `then` after `trx` is committed, and never if it is rolled back. Several functions are called in the order in
 * which they were registered. `then` must not throw. Works only for transactions of `Database.transaction`.
 */
export function afterCommit(trx: Trx, then: () => void): void {
  const others = waiting.get(trx);
  if (others) others.push(then);
  else waiting.set(trx, [then]);
}

/**
 * Runs `work` once in a transaction. After the commit, calls the functions that `work` registered with `afterCommit`.
 */
export async function commitWork<T>(
  builder: TransactionBuilder<Schema>,
  work: (trx: Trx) => Promise<T>,
): Promise<T> {
  let own: Trx | undefined;
  const result = await builder.execute((trx) => {
    own = trx;
    return work(trx);
  });
  const left = own && waiting.get(own);
  if (left) for (const then of left) then();
  return result;
}
