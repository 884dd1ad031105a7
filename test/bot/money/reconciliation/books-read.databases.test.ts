import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Database } from '../../../../db/database.ts';
import type { EntryRow } from '../../../../db/schema/ledger.ts';
import { micros } from '../../../../src/base/money.ts';
import { readBooks } from '../../../../src/bot/money/reconciliation/read-books.ts';
import {
  type Checkpoint,
  firstState,
} from '../../../../src/bot/money/reconciliation/reconciliation-state.ts';
import { useDatabase } from '../../../db/use-database.ts';

const MINUTE_MS = 60_000;
const START_MS = 1e12;
const { checkpoint: START } = firstState(0);
/** The accounts whose totals are read. */
const TOTALS = ['spent', 'pending', 'unattributed'] as const;
const ACCOUNTS = ['spent', 'pending', 'unattributed', 'budget', 'overrun', 'service'] as const;

/** An entry to insert with a given id, which may be lower than the id of an existing one. */
type Entry = EntryRow & { readonly id: number };

function anEntry(id: number, createdAtMs: number, changes: Partial<EntryRow> = {}): Entry {
  return {
    id,
    subject: `s${id}`,
    kind: 'hold',
    guild_id: 'guild',
    slot_ms: 0,
    debit_account: 'spent',
    credit_account: 'budget',
    amount_micros: micros(1),
    corrects: null,
    created_at_ms: createdAtMs,
    ...changes,
  };
}

async function write(db: Database, entries: readonly Entry[]): Promise<void> {
  for (let first = 0; first < entries.length; first += 1_000) {
    await db.kysely
      .insertInto('ledger_entries')
      .values(entries.slice(first, first + 1_000))
      .execute();
  }
}

/** Reads the books from a checkpoint. Returns the totals as a list. */
async function read(db: Database, from: Checkpoint, nowMs: number) {
  const { totals, checkpoint } = await readBooks(db.kysely, from, {
    nowMs,
    signal: new AbortController().signal,
  });
  return { totals: [totals.spent, totals.pending, totals.foreign], checkpoint };
}

test('a total is the amount that enters an account minus the amount that leaves it', async () => {
  const db = await useDatabase();
  let id = 0;
  const entries = ACCOUNTS.flatMap((debit_account, into) =>
    ACCOUNTS.flatMap((credit_account, from) =>
      into === from
        ? []
        : anEntry((id += 1), START_MS, {
            debit_account,
            credit_account,
            amount_micros: micros(2 ** into * 3 ** from),
          }),
    ),
  );
  await write(db, entries);
  const sumOf = (name: string): number =>
    entries.reduce(
      (sum, { debit_account: into, credit_account: from, amount_micros: amount }) =>
        sum + (into === name ? amount : 0) - (from === name ? amount : 0),
      0,
    );
  const { totals } = await read(db, START, START_MS);
  expect(totals).toEqual(TOTALS.map(sumOf));
});

test('an entry that another process commits within ten minutes is read, however many came before it', async () => {
  const happenings = fc.array(
    fc.record({
      /** How many minutes an entry waits until it is committed; null means that the books are read now. */
      waits: fc.option(fc.integer({ min: 0, max: 9 }), { freq: 2 }),
      passes: fc.integer({ min: 0, max: 6 }),
      total: fc.constantFrom(0, 1, 2),
      amount: fc.integer({ min: 1, max: 9 }),
    }),
    { minLength: 4, maxLength: 12 },
  );
  const db = await useDatabase();
  let lastId = 0;
  let nowMs = START_MS;
  await fc.assert(
    fc.asyncProperty(happenings, async (all) => {
      // Entries are never removed, so each run starts after the previous run's entries.
      let from: Checkpoint = { ...START, entryId: lastId };
      let waiting: { readonly entry: Entry; readonly atMs: number }[] = [];
      const sums = [0, 0, 0];
      const last = { waits: null, passes: 9, total: 0, amount: 1 };
      for (const { waits, passes, total, amount } of [...all, last]) {
        nowMs += passes * MINUTE_MS;
        if (waits !== null) {
          const changes = { debit_account: TOTALS[total] ?? 'spent', amount_micros: micros(amount) };
          waiting.push({ entry: anEntry((lastId += 1), nowMs, changes), atMs: nowMs + waits * MINUTE_MS });
        }
        const due = waiting.filter(({ atMs }) => atMs <= nowMs);
        waiting = waiting.filter(({ atMs }) => atMs > nowMs);
        await write(
          db,
          due.map(({ entry }) => entry),
        );
        for (const { entry } of due) {
          const total = TOTALS.findIndex((name) => name === entry.debit_account);
          sums[total] = (sums[total] ?? 0) + entry.amount_micros;
        }
        if (waits !== null) continue;
        const seen = await read(db, from, nowMs);
        expect(seen.totals).toEqual(sums);
        from = seen.checkpoint;
      }
    }),
    { numRuns: 30 },
  );
});

test('long books are read from the last settled entry, in parts of twenty thousand entries', async () => {
  const db = await useDatabase();
  const part = 20_000;
  const oldMs = START_MS - 10 * MINUTE_MS - 1;
  // The second part has one entry for each account.
  const entries = Array.from({ length: part + 3 }, (_, index) =>
    anEntry(index + 1, index < part ? oldMs : START_MS, { debit_account: TOTALS[index % 3] ?? 'spent' }),
  );
  await write(db, entries);
  const first = await read(db, START, START_MS);
  const settled = { spent: micros(6_667), pending: micros(6_667), foreign: micros(6_666) };
  expect(first).toEqual({ totals: [6_668, 6_668, 6_667], checkpoint: { entryId: part, ...settled } });
  const later = await read(db, first.checkpoint, START_MS + 10 * MINUTE_MS + 1);
  expect(later.totals).toEqual(first.totals);
  expect(later.checkpoint).toEqual({ entryId: part + 3, spent: 6_668, pending: 6_668, foreign: 6_667 });
  // Entries before the checkpoint are not read again.
  const none = await read(db, { ...START, entryId: part + 3 }, START_MS);
  expect(none.totals).toEqual([0, 0, 0]);
});

test('an entry is settled after ten minutes and not before', async () => {
  const db = await useDatabase();
  await write(db, [anEntry(1, START_MS)]);
  const after = async (ms: number): Promise<number> =>
    (await read(db, START, START_MS + ms)).checkpoint.entryId;
  expect([await after(10 * MINUTE_MS), await after(10 * MINUTE_MS + 1)]).toEqual([0, 1]);
});
