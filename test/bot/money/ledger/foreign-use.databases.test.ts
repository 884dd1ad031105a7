import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Database } from '../../../../db/database.ts';
import { sumAccounts } from '../../../../db/queries/ledger-entries.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { micros } from '../../../../src/base/money.ts';
import { ForeignUse } from '../../../../src/bot/money/ledger/foreign-use.ts';
import { verifyLedger } from '../../../../src/bot/money/ledger/verify-ledger.ts';
import { useDatabase } from '../../../db/use-database.ts';

const SLOT_MS = 900_000;

/** Books a call that was not made by this bot. Returns the difference that was booked. */
type Book = (recordId: string, charged: number, createdAtMs?: number) => Promise<number>;

async function useForeign(): Promise<{
  readonly db: Database;
  readonly clock: FakeClock;
  readonly book: Book;
}> {
  const db = await useDatabase();
  const clock = new FakeClock();
  const foreignUse = new ForeignUse({ clock });
  const book: Book = (recordId, charged, createdAtMs = 0) =>
    db.transaction('account', (trx) =>
      foreignUse.book(trx, { recordId, charged: micros(charged), createdAtMs }),
    );
  return { db, clock, book };
}

test('the books hold the last reported charge of a foreign call, however often it is reported', async () => {
  const { db, book } = await useForeign();
  const said = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom(0, 1, 40, 41, 90)), {
    minLength: 4,
    maxLength: 10,
  });
  let run = 0;
  let before = 0;
  await fc.assert(
    fc.asyncProperty(said, async (all) => {
      run += 1;
      const charged = new Map<string, number>();
      for (const [name, amount] of all) {
        expect(await book(`${name}${run}`, amount)).toBe(amount - (charged.get(name) ?? 0));
        expect(await book(`${name}${run}`, amount)).toBe(0);
        charged.set(name, amount);
      }
      const sum = [...charged.values()].reduce((total, amount) => total + amount, 0);
      const { unattributed, service, ...others } = await sumAccounts(db.kysely, '');
      expect([unattributed - before, service]).toEqual([sum, 0 - unattributed]);
      expect(new Set(Object.values(others))).toEqual(new Set([0]));
      before = unattributed;
    }),
    { numRuns: 15 },
  );
  const wrong: unknown[] = [];
  await verifyLedger(db.kysely, (difference) => wrong.push(difference));
  expect(wrong).toEqual([]);
});

test('each correction is an entry of the difference, linked to the one before it', async () => {
  const { db, clock, book } = await useForeign();
  for (const amount of [30, 50, 50, 20, 0, 7]) {
    await book('u', amount, 2 * SLOT_MS + 5);
    await clock.advance(1);
  }
  const entries = await db.kysely.selectFrom('ledger_entries').selectAll().orderBy('id').execute();
  const first = entries[0]?.id ?? 0;
  expect(
    entries.map((entry) => [
      entry.kind,
      `${entry.credit_account} to ${entry.debit_account}`,
      entry.amount_micros,
      entry.corrects === null ? null : entry.corrects - first,
      entry.created_at_ms - Date.UTC(2026, 0, 1),
    ]),
  ).toEqual([
    ['foreign', 'service to unattributed', 30, null, 0],
    ['adjustment', 'service to unattributed', 20, 0, 1],
    ['adjustment', 'unattributed to service', 30, 1, 3],
    ['adjustment', 'unattributed to service', 20, 2, 4],
    ['adjustment', 'service to unattributed', 7, 3, 5],
  ]);
  for (const entry of entries) {
    expect(entry).toMatchObject({ subject: 'usage:u', guild_id: '', slot_ms: 2 * SLOT_MS });
  }
});

test('a negative charge is refused, and a free call is not booked', async () => {
  const { db, book } = await useForeign();
  await expect(book('u', -1)).rejects.toThrow(RangeError);
  expect(await book('u', 0)).toBe(0);
  expect(await db.kysely.selectFrom('ledger_entries').selectAll().execute()).toEqual([]);
});
