import fc from 'fast-check';
import { expect, test } from 'vitest';
import { micros } from '../../src/base/money.ts';
import { type LedgerBench, useLedger } from './use-ledger.ts';

const LIMIT = 1_000_000;
const DAY_MS = 86_400_000;

type Event =
  | { readonly kind: 'hold'; readonly subject: string; readonly guildId: string; readonly amount: number }
  | { readonly kind: 'resize'; readonly subject: string; readonly amount: number }
  | { readonly kind: 'post'; readonly subject: string; readonly charged: number }
  | { readonly kind: 'void' | 'review'; readonly subject: string }
  | { readonly kind: 'tomorrow' };

/** What one subject must have come to, written down without entries, accounts or totals. */
interface Expected {
  readonly window: string;
  amount: number;
  state: 'pending' | 'review' | 'posted' | 'voided';
  charged: number;
  overrun: number;
}

const subject = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const events: fc.Arbitrary<readonly Event[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('hold' as const),
      subject,
      guildId: fc.constantFrom('g1', 'g2'),
      amount: fc.integer({ min: 1, max: LIMIT }),
    }),
    fc.record({
      kind: fc.constant('resize' as const),
      subject,
      amount: fc.integer({ min: 1, max: LIMIT }),
    }),
    fc.record({
      kind: fc.constant('post' as const),
      subject,
      charged: fc.integer({ min: 0, max: 2 * LIMIT }),
    }),
    fc.record({ kind: fc.constantFrom('void' as const, 'review' as const), subject }),
    fc.constant({ kind: 'tomorrow' as const }),
  ),
  { minLength: 1, maxLength: 40 },
);

class Model {
  readonly holds: Map<string, Expected> = new Map();
  #day = 0;

  /** Applies the event and says whether the ledger has to take it (rather than refuse the amount). */
  apply(event: Event): boolean {
    if (event.kind === 'tomorrow') {
      this.#day++;
      return true;
    }
    const hold = this.holds.get(event.subject);
    if (event.kind === 'hold') return hold ? true : this.#hold(event);
    if (!hold) return false;
    const isOpen = hold.state === 'pending' || hold.state === 'review';
    if (event.kind === 'resize') return this.#resize(hold, event.amount);
    if (event.kind === 'post') post(hold, event.charged);
    else if (event.kind === 'void' && isOpen) hold.state = 'voided';
    else if (event.kind === 'review' && isOpen) hold.state = 'review';
    return true;
  }

  /** Posted, pending and overrun of every window that was ever held in. */
  totals(): Map<string, { posted: number; pending: number; overrun: number }> {
    const windows = new Map<string, { posted: number; pending: number; overrun: number }>();
    for (const hold of this.holds.values()) {
      const totals = windows.get(hold.window) ?? { posted: 0, pending: 0, overrun: 0 };
      windows.set(hold.window, totals);
      totals.posted += hold.charged;
      totals.overrun += hold.overrun;
      if (hold.state === 'pending' || hold.state === 'review') totals.pending += hold.amount;
    }
    return windows;
  }

  #resize(hold: Expected, amount: number): boolean {
    if (hold.state !== 'pending') return true;
    const used = this.totals().get(hold.window) ?? { posted: 0, pending: 0 };
    const isMore = amount > hold.amount;
    if (isMore && used.posted + used.pending - hold.amount + amount > LIMIT) return false;
    hold.amount = amount;
    return true;
  }

  #hold(event: Event & { kind: 'hold' }): boolean {
    const window = `${event.guildId}@${this.#day}`;
    const used = this.totals().get(window) ?? { posted: 0, pending: 0 };
    if (used.posted + used.pending + event.amount > LIMIT) return false;
    const hold: Expected = { window, amount: event.amount, state: 'pending', charged: 0, overrun: 0 };
    this.holds.set(event.subject, hold);
    return true;
  }
}

function post(hold: Expected, charged: number): void {
  if (hold.state === 'pending' || hold.state === 'review') {
    hold.state = 'posted';
    hold.overrun = Math.max(0, charged - hold.amount);
  } else {
    hold.overrun = Math.max(0, hold.overrun + charged - hold.charged);
  }
  hold.charged = charged;
}

/** Whether the ledger took the event. */
async function apply(bench: LedgerBench, event: Event): Promise<boolean> {
  switch (event.kind) {
    case 'tomorrow':
      await bench.clock.advance(DAY_MS);
      return true;
    case 'hold':
      return (await bench.hold(event.subject, event.amount, { guildId: event.guildId })).held;
    case 'resize': {
      const outcome = bench.resize(event.subject, event.amount);
      return (await taken(outcome)) && (await outcome).held;
    }
    case 'post':
      return taken(bench.post(event.subject, event.charged));
    case 'void':
      return taken(bench.void(event.subject));
    case 'review':
      return taken(bench.review(event.subject));
  }
}

async function taken(settling: Promise<unknown>): Promise<boolean> {
  try {
    await settling;
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'unknown_subject' });
    return false;
  }
}

async function expectInvariants(bench: LedgerBench, model: Model, startMs: number): Promise<void> {
  const expected = model.totals();
  const rowsOfSpending = await bench.database.kysely.selectFrom('spending').selectAll().execute();
  for (const row of rowsOfSpending) {
    const window = `${row.guild_id}@${(row.slot_ms - startMs) / DAY_MS}`;
    const { posted_micros: posted, pending_micros: pending, overrun_micros: overrun } = row;
    expect({ posted, pending, overrun }).toEqual(
      expected.get(window) ?? { posted: 0, pending: 0, overrun: 0 },
    );
    expect(posted + pending - overrun).toBeLessThanOrEqual(LIMIT);
  }
  for (const { stored, summed } of await bench.totals()) {
    const { posted, pending, overrun } = stored;
    expect(summed).toMatchObject({
      budget: overrun - posted - pending,
      pending,
      spent: posted,
      overrun: 0 - overrun,
    });
    expect(Object.values(summed).reduce((sum, micros) => sum + micros, 0)).toBe(0);
  }
  const rows = await bench.database.kysely.selectFrom('holds').selectAll().execute();
  const states = rows.map((row) => [
    row.subject,
    row.amount_micros,
    row.state,
    row.charged_micros,
    row.overrun_micros,
  ]);
  expect(new Set(states.map(String))).toEqual(
    new Set(
      [...model.holds].map(([name, hold]) =>
        [name, hold.amount, hold.state, hold.charged, hold.overrun].join(','),
      ),
    ),
  );
}

test('whatever is held, resized, posted, voided, reviewed and adjusted, budgets and entries agree with the model', async () => {
  await fc.assert(
    fc.asyncProperty(events, async (sequence) => {
      const bench = await useLedger({ limit: micros(LIMIT), period: 'day', timeZone: 'UTC' });
      const model = new Model();
      const startMs = bench.clock.now();
      for (const event of sequence) {
        const isTaken = model.apply(event);
        expect(await apply(bench, event)).toBe(isTaken);
        await expectInvariants(bench, model, startMs);
      }
    }),
    { numRuns: 60 },
  );
});

test('replaying everything that was taken three times leaves every balance as it was', async () => {
  await fc.assert(
    fc.asyncProperty(events, async (sequence) => {
      const bench = await useLedger({ limit: micros(LIMIT), period: 'day', timeZone: 'UTC' });
      const replay = (event: Event, learnedAtMs: number): Promise<boolean> =>
        event.kind === 'post'
          ? taken(bench.post(event.subject, event.charged, learnedAtMs))
          : apply(bench, event);
      const stored: [Event, number][] = [];
      for (const [index, event] of sequence.entries()) {
        if ((await replay(event, index)) && event.kind !== 'tomorrow') stored.push([event, index]);
      }
      const before = await bench.totals();
      for (const [event, index] of [...stored, ...stored, ...stored]) await replay(event, index);
      expect(await bench.totals()).toEqual(before);
    }),
    { numRuns: 40 },
  );
});
