import { expect, test } from 'vitest';
import type { Database } from '../../../../db/database.ts';
import { PSEUDONYM_PREFIX } from '../../../../db/pseudonyms.ts';
import type { HoldRow } from '../../../../db/schema/ledger.ts';
import type { Trx } from '../../../../db/schema.ts';
import { micros } from '../../../../src/base/money.ts';
import type { Budget } from '../../../../src/bot/money/caps/budget.ts';
import { type HoldRequest, Ledger } from '../../../../src/bot/money/ledger/ledger.ts';
import { verifyLedger } from '../../../../src/bot/money/ledger/verify-ledger.ts';
import { forgetEndedLimits } from '../../../../src/bot/people/members/gone-limits.ts';
import { useRemoval } from '../../people/members/use-removal.ts';
import { aHold } from './a-hold.ts';

const SLOT_MS = 900_000;
const DAY_MS = 86_400_000;
const ROOMY: Budget = { limit: micros(1_000_000), period: 'day', timeZone: 'UTC' };
const ADA = '700000000000000001';
const BEN = '700000000000000002';
const HERE = '800000000000000001';
const THERE = '800000000000000002';

type Step = (ledger: Ledger, trx: Trx, subject: string) => Promise<unknown>;
const post =
  (charged: number): Step =>
  (ledger, trx, subject) =>
    ledger.post(trx, { subject, charged: micros(charged) });
const resize =
  (amount: number): Step =>
  (ledger, trx, subject) =>
    ledger.resize(trx, { subject, amount: micros(amount), rateCard: '{}' });
const release: Step = (ledger, trx, subject) => ledger.void(trx, { subject });
const review: Step = (ledger, trx, subject) => ledger.review(trx, { subject });

/** The states that a hold of 100 may have when its member's data is removed. */
const STANDS: Readonly<Record<string, readonly Step[]>> = {
  pending: [],
  resized: [resize(70)],
  review: [review],
  charged: [post(60)],
  over: [post(140)],
  corrected: [post(60), post(90)],
  voided: [release],
  'charged late': [release, post(30)],
};
/** The changes that may follow the removal. */
const WAYS: Readonly<Record<string, Step>> = {
  less: post(20),
  more: post(150),
  far: post(500),
  void: release,
  review,
  resize: resize(130),
};
const REMOVALS = ['nothing', 'the member', 'the server', 'the member, whose limits end'] as const;

const holdsOf = ({ kysely }: Database): Promise<HoldRow[]> =>
  kysely.selectFrom('holds').selectAll().orderBy('subject').execute();

/** Returns the rows of `spending` that these holds result in. */
function spendingOf(holds: readonly HoldRow[]): object[] {
  const rows = new Map<string, { posted_micros: number; pending_micros: number; overrun_micros: number }>();
  for (const { guild_id, slot_ms, user_id, capability, ...hold } of holds) {
    const key = JSON.stringify({ guild_id, slot_ms, user_id, capability });
    const row = rows.get(key) ?? { posted_micros: 0, pending_micros: 0, overrun_micros: 0 };
    const isOpen = hold.state === 'pending' || hold.state === 'review';
    rows.set(key, {
      posted_micros: row.posted_micros + hold.charged_micros,
      pending_micros: row.pending_micros + (isOpen ? hold.amount_micros : 0),
      overrun_micros: row.overrun_micros + hold.overrun_micros,
    });
  }
  return [...rows].map(([key, sums]) => ({ ...(JSON.parse(key) as object), ...sums }));
}

/** Expects that the books add up, and that every row of `spending` is the sum of its holds. */
async function expectSound(db: Database): Promise<void> {
  const spending: object[] = await db.kysely.selectFrom('spending').selectAll().execute();
  const expected = spendingOf(await holdsOf(db));
  expect(spending).toHaveLength(expected.length);
  expect(spending).toEqual(expect.arrayContaining(expected));
  const wrong: unknown[] = [];
  await verifyLedger(db.kysely, (difference) => wrong.push(difference));
  expect(wrong).toEqual([]);
}

/** Creates holds in every state, removes the data, and then makes every change that may follow for each hold. */
async function play(removal: (typeof REMOVALS)[number]) {
  const { db, clock, access, begin, finish } = await useRemoval();
  const ledger = new Ledger({ clock, defaultBudget: ROOMY, pseudonymOf: (id) => access.pseudonymOf(id) });
  const inGuild = <T>(guildId: string, work: (trx: Trx) => Promise<T>): Promise<T> =>
    db.transaction(`guild:${guildId}`, work);
  const hold = (trx: Trx, subject: string, changes: Partial<HoldRequest>) =>
    ledger.hold(trx, { ...aHold(subject, micros(100)), guildId: HERE, userId: ADA, ...changes });
  for (const [stand, steps] of Object.entries(STANDS)) {
    await inGuild(HERE, async (trx) => {
      for (const way of Object.keys(WAYS)) {
        const subject = `${stand}: ${way}`;
        await hold(trx, subject, { capability: way === 'void' ? 'lip_sync' : 'avatar' });
        for (const step of steps) await step(ledger, trx, subject);
      }
      await hold(trx, `of Ben, ${stand}`, { userId: BEN });
    });
    if (stand === 'review') await clock.advance(SLOT_MS);
  }
  await inGuild(THERE, (trx) => hold(trx, 'elsewhere', { guildId: THERE }));
  const before = await holdsOf(db);
  if (removal !== 'nothing') {
    await (removal === 'the server' ? begin('guild', HERE) : begin('member', ADA));
  }
  await clock.advance(1);
  await inGuild(HERE, (trx) => hold(trx, 'since then', {}));
  await finish();
  await expectSound(db);
  await clock.advance(40 * DAY_MS);
  if (removal === 'the member, whose limits end') {
    await forgetEndedLimits({ db, clock, limitSpanOf: (trx, guildId) => ledger.limitSpan(trx, guildId) });
    await expectSound(db);
  }
  const after = await holdsOf(db);
  const answers: Record<string, unknown> = {};
  await inGuild(HERE, async (trx) => {
    for (const stand of Object.keys(STANDS)) {
      for (const [way, step] of Object.entries(WAYS)) {
        const subject = `${stand}: ${way}`;
        answers[subject] = await step(ledger, trx, subject);
      }
    }
  });
  await expectSound(db);
  return { before, after, answers, pseudonym: access.pseudonymOf(ADA), ended: await holdsOf(db) };
}

const nameless = (holds: readonly HoldRow[]): object[] =>
  holds.map((hold) => ({ ...hold, user_id: '', role_ids: '' }));

test('a removal changes the names in the books and no amount, and later charges are not affected', async () => {
  const usual = await play('nothing');
  for (const removal of REMOVALS.slice(1)) {
    const { before, after, answers, pseudonym, ended } = await play(removal);
    expect(nameless(after)).toEqual(nameless(usual.after));
    expect({ removal, ...answers }).toEqual({ removal, ...usual.answers });
    expect(nameless(ended)).toEqual(nameless(usual.ended));
    const nameIn = (holds: readonly HoldRow[], subject: string) =>
      holds.find((hold) => hold.subject === subject)?.user_id;
    const names = new Set(
      before
        .filter((hold) => hold.user_id === ADA && hold.guild_id === HERE)
        .map((hold) => nameIn(after, hold.subject)),
    );
    expect(names.size).toBe(1);
    const [name] = names;
    expect(name?.startsWith(PSEUDONYM_PREFIX)).toBe(true);
    expect(name === pseudonym).toBe(removal === 'the member');
    expect(nameIn(after, 'since then')).toBe(ADA);
    expect(nameIn(after, 'of Ben, review') === BEN).toBe(removal !== 'the server');
    expect(nameIn(after, 'elsewhere') === ADA).toBe(removal === 'the server');
  }
});
