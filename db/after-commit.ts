import type { TransactionBuilder } from 'kysely';
import type { Schema, Trx } from './schema.ts';

/** What is to happen once a transaction is committed, by transaction. */
const waiting = new WeakMap<Trx, (() => void)[]>();

/**
 * Calls `then` once `trx` is committed, after what was asked for before; never when it is undone. It must not throw.
 * For transactions of `Database.transaction`.
 */
export function afterCommit(trx: Trx, then: () => void): void {
  const others = waiting.get(trx);
  if (others) others.push(then);
  else waiting.set(trx, [then]);
}

/** Runs `work` in a transaction, once, and what it left for after the commit. */
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
