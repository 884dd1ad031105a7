import fc from 'fast-check';
import { expect, test } from 'vitest';
import { micros } from '../../../../src/base/money.ts';
import type { UsageRecord } from '../../../../src/media-api/account.ts';
import type { IdRelation } from '../../../../src/bot/money/reconciliation/id-relation.ts';
import { judge } from '../../../../src/bot/money/reconciliation/judge.ts';
import type { KnownCall } from '../../../../src/bot/money/reconciliation/known-call.ts';

const MINUTE_MS = 60_000;
const NOW_MS = 1_000 * MINUTE_MS;
const WINDOW = { fromMs: 0, toMs: NOW_MS };
const FEATURES = ['photo_swap', 'avatar'];

/** A call as it really happened. A foreign call does not appear in the bot's books. */
interface Truth {
  readonly minute: number;
  readonly feature: string;
  readonly cents: number;
  /** The state of the price in the books; `foreign` if the call does not belong to the bot. */
  readonly books: 'known' | 'open' | 'wrong' | 'foreign';
}

const truths = fc.array(
  fc.record({
    minute: fc.integer({ min: 10, max: 40 }),
    feature: fc.constantFrom(...FEATURES),
    cents: fc.integer({ min: 1, max: 3 }),
    books: fc.constantFrom(
      'known' as const,
      'known' as const,
      'open' as const,
      'wrong' as const,
      'foreign' as const,
    ),
  }),
  { minLength: 1, maxLength: 14 },
);

interface World {
  readonly calls: readonly KnownCall[];
  readonly records: readonly UsageRecord[];
  /** For each record, the subject of its call, or undefined if the call is foreign. */
  readonly owner: ReadonlyMap<string, string | undefined>;
}

function worldOf(all: readonly Truth[], hasEqualIds: boolean): World {
  const records = all.map(({ minute, feature, cents }, index) => ({
    id: hasEqualIds ? `srv_${index}` : `u_${index}`,
    endpoint: feature === 'avatar' ? 'avatar' : 'face-swap-image',
    feature,
    status: 'succeeded',
    charged: micros(cents * 10_000),
    reason: null,
    createdAtMs: minute * MINUTE_MS,
  }));
  const calls = all.flatMap(({ minute, feature, cents, books }, index) => {
    if (books === 'foreign') return [];
    const wrong = books === 'wrong' && hasEqualIds ? 1 : 0;
    return {
      subject: `job_${index}`,
      guildId: 'guild',
      serviceId: `srv_${index}`,
      feature,
      fromMs: (minute - 2) * MINUTE_MS,
      toMs: (minute + 2) * MINUTE_MS,
      charged: books === 'open' ? null : micros((cents + wrong) * 10_000),
      isUnderWay: false,
    };
  });
  const owner = new Map(
    all.map(({ books }, index) => [
      records[index]?.id ?? '',
      books === 'foreign' ? undefined : `job_${index}`,
    ]),
  );
  return { calls, records, owner };
}

/** Books that apply every verdict, and throw if something is booked twice. */
class Books {
  readonly charged: Map<string, number>;
  readonly foreign: Map<string, number> = new Map();
  ids: IdRelation = 'unproven';
  absent = 0;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    this.charged = new Map(
      world.calls.flatMap(({ subject, charged }) => (charged === null ? [] : [[subject, charged] as const])),
    );
  }

  see(records: readonly UsageRecord[], complete: boolean): void {
    const calls = this.#world.calls.map((call) => ({
      ...call,
      charged: micros0(this.charged.get(call.subject)),
    }));
    const verdicts = judge({ calls, records, complete, window: WINDOW, ids: this.ids, nowMs: NOW_MS });
    this.absent += verdicts.absent.length;
    for (const { call, charged } of [...verdicts.settled, ...verdicts.inferred, ...verdicts.differing]) {
      this.charged.set(call.subject, charged);
    }
    for (const { id, charged } of verdicts.foreign) this.foreign.set(id, charged);
    for (const id of verdicts.oursIds) this.foreign.delete(id);
    this.ids = verdicts.ids;
  }
}

function micros0(amount: number | undefined): ReturnType<typeof micros> | null {
  return amount === undefined ? null : micros(amount);
}

test('settled prices are right, and no call of the bot is ever treated as foreign, whatever the ids', () => {
  fc.assert(
    fc.property(truths, fc.boolean(), fc.boolean(), (all, hasEqualIds, complete) => {
      const world = worldOf(all, hasEqualIds);
      const books = new Books(world);
      for (let pass = 0; pass < 3; pass++) books.see(world.records, complete);
      expect(books.absent).toBe(0);
      for (const [subject, charged] of books.charged) {
        const { cents = 0, books: state } = all[Number(subject.slice(4))] ?? {};
        // A wrong price is only found by ids, which are trusted only once they have proved to be equal.
        if (state !== 'wrong' || !hasEqualIds) expect(charged).toBe(cents * 10_000);
      }
      for (const id of books.foreign.keys()) expect(world.owner.get(id)).toBeUndefined();
    }),
    { numRuns: 3_000 },
  );
});

test('with equal ids the books end the same, whatever pages were seen before, in any order and number', () => {
  const passes = fc.array(fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 20 }), { maxLength: 6 });
  fc.assert(
    fc.property(truths, passes, (all, pages) => {
      const world = worldOf(all, true);
      const [once, often] = [new Books(world), new Books(world)];
      once.ids = often.ids = 'equal';
      once.see(world.records, true);
      for (const page of pages) {
        often.see(
          [...new Set(page)].flatMap((index) => world.records[index] ?? []),
          false,
        );
      }
      const seen = new Set(pages.flat());
      if (world.records.every((_, index) => seen.has(index))) {
        // Judging the log in parts gives the same result as judging it as a whole.
        expect([often.charged, often.foreign]).toEqual([once.charged, once.foreign]);
      }
      often.see(world.records.toReversed(), true);
      expect(often.absent).toBe(0);
      expect([often.charged, often.foreign]).toEqual([once.charged, once.foreign]);
    }),
    { numRuns: 3_000 },
  );
});
