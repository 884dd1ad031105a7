import { expect, onTestFinished, test } from 'vitest';
import { type WireNote, watchWire, withinUse } from '../../../../src/base/wire-note.ts';
import { micros } from '../../../../src/base/money.ts';
import { aHold } from './a-hold.ts';
import { useLedger } from './use-ledger.ts';

/** Starts to collect the ledger's notes. */
function useNotes(): WireNote[] {
  const notes: WireNote[] = [];
  const watched = watchWire((note) => notes.push(note));
  onTestFinished(() => watched[Symbol.dispose]());
  return notes;
}

test('postings are noted after their commit, with the interaction that they belong to', async () => {
  const bench = await useLedger();
  const notes = useNotes();
  await withinUse('1234', () =>
    bench.database.transaction('guild:guild', async (trx) => {
      await bench.ledger.hold(trx, aHold('job', micros(400_000)));
      expect(notes).toEqual([]);
    }),
  );
  expect(notes).toEqual([
    {
      source: 'ledger',
      what: 'hold: budget to pending',
      detail: { amount_usd: '$0.40', guild: 'guild' },
      useId: '1234',
    },
  ]);
  await bench.post('job', 300_000);
  expect(notes.slice(1).map(({ what, useId }) => [what, useId])).toEqual([
    ['charge: pending to spent', undefined],
    ['release: pending to budget', undefined],
  ]);
});

test('postings that are rolled back are never noted, even beside postings that are committed', async () => {
  const bench = await useLedger();
  const notes = useNotes();
  const failing = bench.database.transaction('guild:guild', async (trx) => {
    await bench.ledger.hold(trx, aHold('undone', micros(100_000)));
    throw new Error('Undo it');
  });
  const [undone, kept] = await Promise.allSettled([failing, bench.hold('kept', 200_000)]);
  expect([undone.status, kept.status]).toEqual(['rejected', 'fulfilled']);
  expect(notes.map(({ detail }) => detail?.['amount_usd'])).toEqual(['$0.20']);
  expect(await bench.left()).toBe(800_000);
});
