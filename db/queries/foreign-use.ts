import type { MicroUsd } from '../../src/base/money.ts';
import type { Queryable } from '../schema.ts';
import { balanceOf } from './entry-sums.ts';

/** The amount that is booked for a foreign call, which no guild made. */
interface BookedForeign {
  readonly subject: string;
  readonly amount: MicroUsd;
  readonly lastEntryId: number;
}

export async function findForeign(db: Queryable, subject: string): Promise<BookedForeign | undefined> {
  return (await listForeign(db, [subject]))[0];
}

/** Returns the given subjects that have entries, each with its amount. Pass at most a few hundred subjects. */
export async function listForeign(db: Queryable, subjects: readonly string[]): Promise<BookedForeign[]> {
  if (subjects.length === 0) return [];
  return db
    .selectFrom('ledger_entries')
    .select('subject')
    .select((eb) => [balanceOf('unattributed').as('amount'), eb.fn.max('id').as('lastEntryId')])
    .where('subject', 'in', subjects)
    .groupBy('subject')
    .execute();
}
