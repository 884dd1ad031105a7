import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { micros } from '../../../../src/base/money.ts';
import { type Difference, verifyLedger } from '../../../../src/bot/money/ledger/verify-ledger.ts';
import { setCap } from '../caps/set-cap.ts';
import { type LedgerBench, useLedger } from './use-ledger.ts';

/** Creates books with holds in every state, for two members with their own caps. */
async function useBooks(): Promise<LedgerBench> {
  const bench = await useLedger();
  const db = bench.database.kysely;
  await setCap(db, {
    kind: 'member',
    targetId: 'user',
    capability: 'photo_swap',
    period: 'total',
    limit: 1e6,
  });
  await setCap(db, { kind: 'member', targetId: 'other', period: 'week', limit: 1e6 });
  await bench.hold('posted', 100_000);
  await bench.post('posted', 130_000);
  await bench.post('posted', 60_000);
  await bench.hold('voided', 100_000);
  await bench.void('voided');
  await bench.clock.advance(3_600_000);
  await bench.hold('open', 50_000, { userId: 'other', capability: 'lip_sync' });
  await bench.resize('open', 70_000);
  await bench.hold('elsewhere', 1, { guildId: 'away' });
  await bench.review('elsewhere');
  return bench;
}

async function differences({ database }: LedgerBench): Promise<Difference[]> {
  const found: Difference[] = [];
  const verified = await verifyLedger(database.kysely, (difference) => found.push(difference));
  expect(verified.differences).toBe(found.length);
  return found;
}

test('untouched books have no differences, and all of them are checked', async () => {
  const bench = await useBooks();
  const found: Difference[] = [];
  const verified = await verifyLedger(bench.database.kysely, (difference) => found.push(difference));
  expect(found).toEqual([]);
  expect(verified).toEqual({ holds: 4, entries: 10, guilds: 2, meters: 4, differences: 0 });
});

test('foreign use of the account belongs to no guild and is no difference', async () => {
  const bench = await useBooks();
  await bench.database.kysely
    .insertInto('ledger_entries')
    .values({
      subject: 'usage_1',
      kind: 'foreign',
      guild_id: '',
      slot_ms: 900_000,
      debit_account: 'unattributed',
      credit_account: 'service',
      amount_micros: micros(5),
      corrects: null,
      created_at_ms: 1,
    })
    .execute();
  expect(await differences(bench)).toEqual([]);
});

const MEDDLINGS: [string, string, object[]][] = [
  [
    'a meter',
    `update meters set posted_micros = posted_micros + 5 where user_id = '' and guild_id = 'guild'`,
    [
      {
        place: expect.stringMatching(/^meter of guild guild, day from 2026/),
        figure: 'posted',
        stored: 60_005,
        computed: 60_000,
      },
    ],
  ],
  [
    "a member's meter",
    `update meters set pending_micros = 0 where user_id = 'other'`,
    [
      {
        place: expect.stringMatching(/^meter of guild guild, member other, week from/),
        figure: 'pending',
        stored: 0,
        computed: 70_000,
      },
    ],
  ],
  [
    'a row of spending, and no meter because of it',
    `update spending set pending_micros = 1 where user_id = 'other'`,
    [
      {
        place: expect.stringMatching(/^spending of guild guild, 2026.*Z, member other, lip_sync$/),
        figure: 'pending',
        stored: 1,
        computed: 70_000,
      },
    ],
  ],
  [
    'spending that is missing',
    `delete from spending where guild_id = 'away'`,
    [{ place: expect.stringContaining('spending of guild away'), figure: 'pending', stored: 0, computed: 1 }],
  ],
  [
    'the charge of a hold',
    `update holds set charged_micros = 61000 where subject = 'posted'`,
    [{ place: 'hold posted', figure: 'charged', stored: 61_000, computed: 60_000 }],
  ],
  [
    'the amount of an open hold',
    `update holds set amount_micros = 70001 where subject = 'open'`,
    [
      { place: 'hold open', figure: 'amount', stored: 70_001, computed: 70_000 },
      { place: 'hold open', figure: 'pending (pending)', stored: 70_001, computed: 70_000 },
    ],
  ],
  [
    'a hold that was marked as resolved alone',
    `update holds set state = 'posted', resolved_at_ms = 1 where subject = 'elsewhere'`,
    [{ place: 'hold elsewhere', figure: 'pending (posted)', stored: 0, computed: 1 }],
  ],
  [
    'a second resolution',
    `insert into ledger_entries (subject, kind, guild_id, slot_ms, debit_account, credit_account, amount_micros, created_at_ms)
      select subject, 'charge', guild_id, slot_ms, 'spent', 'pending', 7, 1 from holds where subject = 'voided'`,
    [
      { place: 'hold voided', figure: 'pending (voided)', stored: 0, computed: -7 },
      { place: 'hold voided', figure: 'charged', stored: 0, computed: 7 },
      { figure: 'posted', stored: 60_000, computed: 60_007 },
      { figure: 'pending', stored: 0, computed: -7 },
      { place: expect.stringContaining('meter of guild guild, day'), figure: 'posted' },
      { place: expect.stringContaining('meter of guild guild, day'), figure: 'pending' },
      {
        place: expect.stringContaining('meter of guild guild, member user, photo_swap, total'),
        figure: 'posted',
      },
      {
        place: expect.stringContaining('meter of guild guild, member user, photo_swap, total'),
        figure: 'pending',
      },
    ],
  ],
  [
    'an entry without a hold',
    `insert into ledger_entries (subject, kind, guild_id, slot_ms, debit_account, credit_account, amount_micros, created_at_ms)
      values ('nobody', 'hold', 'guild', 0, 'pending', 'budget', 7, 1)`,
    [{ place: expect.stringMatching(/^entry \d+ of nobody$/), figure: 'hold', computed: 'no hold' }],
  ],
];

test.each(MEDDLINGS)(
  'a difference is reported with its place and both figures: %s',
  async (_what, statement, told) => {
    const bench = await useBooks();
    await sql.raw(statement).execute(bench.database.kysely);
    expect(await differences(bench)).toMatchObject(told);
  },
);

test('an entry in another guild or at another time than its hold is reported', async () => {
  const bench = await useBooks();
  await sql`insert into ledger_entries (subject, kind, guild_id, slot_ms, debit_account, credit_account, amount_micros, corrects, created_at_ms)
    values ('posted', 'adjustment', 'away', 0, 'spent', 'overrun', 7, 999, 1)`.execute(bench.database.kysely);
  expect(await differences(bench)).toMatchObject([
    { place: 'hold posted', figure: 'charged' },
    { place: 'hold posted', figure: 'overrun' },
    { place: 'hold posted', figure: 'entries of another guild or time', computed: 1 },
    { figure: 'corrects', stored: '999', computed: 'no earlier entry of the subject' },
    { place: expect.stringContaining('spending of guild away, 1970') },
    { place: expect.stringContaining('spending of guild away, 1970') },
  ]);
});
