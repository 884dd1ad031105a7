import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type MicroUsd, micros } from '../../../../src/base/money.ts';
import type { UsageRecord } from '../../../../src/media-api/account.ts';
import type { IdRelation } from '../../../../src/bot/money/reconciliation/id-relation.ts';
import { type Verdicts, judge } from '../../../../src/bot/money/reconciliation/judge.ts';
import type { KnownCall } from '../../../../src/bot/money/reconciliation/known-call.ts';

const MINUTE_MS = 60_000;
const NOW_MS = 1_000 * MINUTE_MS;
const WINDOW = { fromMs: 0, toMs: NOW_MS };
const CENT = 10_000;
const ENDPOINTS = { photo_swap: 'face-swap-image', avatar: 'avatar' } as const;
type Feature = keyof typeof ENDPOINTS;

/** One of the bot's calls as it really happened, and what the books know about it. */
interface Own {
  readonly minute: number;
  readonly feature: Feature;
  readonly quote: number;
  /** The real cost as a share of the quote. */
  readonly costs: number;
  readonly isConfirmed: boolean;
  readonly isBooked: boolean;
  /** Whether an unconfirmed call was made at all. */
  readonly isMade: boolean;
  /** Whether the call's record appears only after the first comparison. */
  readonly isLate: boolean;
}

/** A record of another user of the account, placed where it does the most harm. */
interface Foreign {
  readonly minute: number;
  readonly feature: Feature;
  readonly micros: number;
  /** The index of the bot's call whose id this record has. Only used where record ids differ from call ids. */
  readonly stolenId: number | null;
  readonly isLate: boolean;
}

const feature = fc.constantFrom<Feature>('photo_swap', 'avatar');
const owns = fc.array(
  fc.record({
    minute: fc.integer({ min: 100, max: 140 }),
    feature,
    quote: fc.integer({ min: 2, max: 5 }),
    costs: fc.constantFrom(0.8, 1, 1.2),
    isConfirmed: fc.boolean(),
    isBooked: fc.boolean(),
    isMade: fc.boolean(),
    isLate: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);
const foreigns = fc.array(
  fc.record({
    minute: fc.integer({ min: 80, max: 480 }),
    feature,
    micros: fc.oneof(
      fc.integer({ min: 1, max: 8 * CENT }),
      fc.constantFrom(2, 3, 4, 5).map((cents) => cents * CENT),
      fc.constant(4_000 * CENT),
    ),
    stolenId: fc.option(fc.nat({ max: 7 }), { freq: 3 }),
    isLate: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);
const relations = fc.constantFrom<IdRelation>('equal', 'different', 'unproven');

function callOf(own: Own, index: number): KnownCall {
  const quote = own.quote * CENT;
  return {
    subject: `job_${index}`,
    guildId: 'guild',
    serviceId: own.isConfirmed ? `srv_${index}` : null,
    feature: own.feature,
    fromMs: (own.minute - 5) * MINUTE_MS,
    toMs: (own.minute + 6) * MINUTE_MS,
    charged: own.isBooked && (own.isConfirmed || own.isMade) ? costOf(own) : null,
    isUnderWay: false,
    bounds: { least: micros(quote / 1.25), most: micros(quote * 1.25) },
    quoted: micros(quote * 1.25),
  };
}

function costOf({ quote, costs }: Own): MicroUsd {
  return micros(Math.round(quote * costs * CENT));
}

function record(id: string, of: Pick<Own, 'feature' | 'minute'>, charged: MicroUsd): UsageRecord {
  const endpoint = ENDPOINTS[of.feature];
  const rest = { endpoint, status: 'succeeded', reason: null, createdAtMs: of.minute * MINUTE_MS };
  return { id, feature: of.feature, charged, ...rest };
}

/**
 * A generated account: the records that are visible early and late, and the number of the bot's call to which each
 * record belongs.
 */
interface Account {
  readonly calls: readonly KnownCall[];
  readonly early: readonly UsageRecord[];
  readonly late: readonly UsageRecord[];
  readonly ownerOf: ReadonlyMap<string, number>;
}

function accountOf(ours: readonly Own[], others: readonly Foreign[], ids: IdRelation): Account {
  const mine = ours.flatMap((own, index) => {
    if (!own.isConfirmed && !own.isMade) return [];
    const id = ids === 'equal' ? `srv_${index}` : `u_${index}`;
    return { isLate: own.isLate, index, record: record(id, own, costOf(own)) };
  });
  const theirs = others.map((other, index) => {
    const isStolen = other.stolenId !== null && ids !== 'equal';
    const id = isStolen ? `srv_${other.stolenId}` : `x_${index}`;
    return { isLate: other.isLate, index: -1, record: record(id, other, micros(other.micros)) };
  });
  // A log contains each id only once.
  const all = [...new Map([...theirs, ...mine].map((one) => [one.record.id, one])).values()];
  return {
    calls: ours.map(callOf),
    early: all.filter(({ isLate }) => !isLate).map((one) => one.record),
    late: all.map((one) => one.record),
    ownerOf: new Map(all.filter(({ index }) => index >= 0).map((one) => [one.record.id, one.index])),
  };
}

/** Books that apply every verdict. */
class Books {
  readonly charged: Map<string, { readonly recordId: string; readonly amount: number }> = new Map();
  readonly foreign: Map<string, number> = new Map();
  readonly #decided = new Map<string, string | null>();
  readonly #account: Account;
  ids: IdRelation;
  /** Whether all comparisons so far assumed that record ids equal call ids. */
  wasEqual: boolean;

  constructor(account: Account, ids: IdRelation) {
    this.#account = account;
    this.ids = ids;
    this.wasEqual = ids === 'equal';
  }

  see(records: readonly UsageRecord[], complete: boolean): Verdicts {
    const calls = this.#account.calls.map((call) => {
      const booked = this.charged.get(call.subject);
      return booked ? { ...call, charged: micros(booked.amount) } : call;
    });
    const evidence = { calls, records, complete, window: WINDOW, ids: this.ids, nowMs: NOW_MS };
    const verdicts = judge({ ...evidence, decided: this.#decided });
    const { settled, inferred, differing } = verdicts;
    for (const { call, recordId, charged: amount } of [...settled, ...inferred, ...differing]) {
      this.charged.set(call.subject, { recordId, amount });
    }
    for (const { call, recordId, isOnly } of inferred) if (isOnly) this.#decided.set(recordId, call.subject);
    for (const { id, charged } of verdicts.foreign) this.foreign.set(id, charged);
    for (const id of verdicts.oursIds) this.foreign.delete(id);
    this.ids = verdicts.ids;
    this.wasEqual &&= this.ids === 'equal';
    return verdicts;
  }
}

test('no guild pays for another user’s record outside its call’s time and quote, or where ids can decide', () => {
  fc.assert(
    fc.property(owns, foreigns, relations, fc.boolean(), (ours, others, ids, isReversed) => {
      const account = accountOf(ours, others, ids);
      const books = new Books(account, ids);
      const order = (some: readonly UsageRecord[]): readonly UsageRecord[] =>
        isReversed ? some.toReversed() : some;
      books.see(order(account.late.slice(0, 3)), false);
      for (let pass = 0; pass < 2; pass++) books.see(order(account.early), true);
      for (let pass = 0; pass < 3; pass++) books.see(order(account.late), true);

      for (const [index, own] of ours.entries()) {
        const call = account.calls[index];
        const booked = books.charged.get(`job_${index}`);
        if (!booked || !call) continue;
        const paidFor = account.late.find(({ id }) => id === booked.recordId);
        if (!paidFor) throw new TypeError('There is no such record');
        if (books.wasEqual) {
          // Whatever else is in the log, only the record with the call's own id counts.
          expect(own.isConfirmed).toBe(true);
          expect(account.ownerOf.get(booked.recordId)).toBe(index);
        }
        if (account.ownerOf.get(booked.recordId) === index) continue;
        // A call may pay for another record only if the two are indistinguishable, and never more than its quote
        // allows.
        expect(paidFor.feature).toBe(call.feature);
        expect(Math.abs(paidFor.createdAtMs - own.minute * MINUTE_MS)).toBeLessThanOrEqual(6 * MINUTE_MS);
        expect(booked.amount).toBeLessThanOrEqual(own.quote * 1.25 * CENT);
        if (books.ids !== 'equal') expect(booked.amount).toBeGreaterThanOrEqual((own.quote * CENT) / 1.25);
      }
    }),
    { numRuns: 3_000 },
  );
});

test('no record of the bot counts as foreign while its call is open and could own it', () => {
  fc.assert(
    fc.property(owns, foreigns, relations, (ours, others, ids) => {
      const account = accountOf(ours, others, ids);
      const books = new Books(account, ids);
      for (let pass = 0; pass < 2; pass++) {
        const { foreign } = books.see(account.early, true);
        for (const { id } of foreign) expectNotOurs(id);
      }
      for (let pass = 0; pass < 2; pass++) {
        const { foreign } = books.see(account.late, true);
        for (const { id } of foreign) expectNotOurs(id);
      }

      function expectNotOurs(id: string): void {
        const index = account.ownerOf.get(id);
        if (index === undefined) return;
        // The record can only be foreign because its call was already paid for with another record that fitted equally
        // well.
        expect(books.charged.get(`job_${index}`)?.recordId).not.toBe(id);
        expect([...books.charged.keys()]).toContain(`job_${index}`);
      }
    }),
    { numRuns: 3_000 },
  );
});

test('if all calls are confirmed and no other records are near, the books match the charges', () => {
  fc.assert(
    fc.property(owns, foreigns, relations, (ours, others, ids) => {
      const alone = ours.map((own, index) => ({
        ...own,
        minute: 100 + 20 * index,
        isConfirmed: true,
        isLate: false,
      }));
      const far = others.map((other) => ({ ...other, minute: 400 + other.minute, stolenId: null }));
      const account = accountOf(alone, far, ids);
      const books = new Books(account, ids);
      for (let pass = 0; pass < 2; pass++) books.see(account.late, true);
      for (const [index, own] of alone.entries()) {
        const known = account.calls[index]?.charged ?? books.charged.get(`job_${index}`)?.amount;
        expect(known).toBe(costOf(own));
      }
      expect([...books.foreign.values()].reduce((sum, amount) => sum + amount, 0)).toBe(
        far.reduce((sum, other) => sum + other.micros, 0),
      );
    }),
    { numRuns: 1_000 },
  );
});

test('a later correction of an amount reaches the books, up to the most that the call can cost', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 * CENT }), fc.boolean(), (later, hasEqualIds) => {
      const own: Own = {
        minute: 100,
        feature: 'photo_swap',
        quote: 4,
        costs: 1,
        isConfirmed: true,
        isBooked: false,
        isMade: true,
        isLate: false,
      };
      const ids = hasEqualIds ? 'equal' : 'different';
      const account = accountOf([own], [], ids);
      const books = new Books(account, ids);
      books.see(account.late, true);
      expect(books.charged.get('job_0')?.amount).toBe(4 * CENT);
      const corrected = account.late.map((one) => ({ ...one, charged: micros(later) }));
      for (let pass = 0; pass < 2; pass++) books.see(corrected, true);
      expect(books.charged.get('job_0')?.amount).toBe(later <= 5 * CENT ? later : 4 * CENT);
      expect([...books.foreign]).toEqual([]);
    }),
  );
});
