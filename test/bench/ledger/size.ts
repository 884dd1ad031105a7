import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { openDatabase } from '../../../db/database.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { micros } from '../../../src/base/money.ts';
import { Ledger } from '../../../src/bot/money/ledger/ledger.ts';
import { quantile } from '../quantile.ts';

const SMALL = 10_000;
const LARGE = 10_000_000;
const LARGE_SHORT = 500_000;
const ROUNDS = 11;
const PER_ROUND = 50;

/**
 * Measures two operations in the small and the large books of one guild: a check (a hold that is refused), and a hold
 * with its charge.
 */
export async function benchLedgerSize(folder: string, isShort: boolean): Promise<object> {
  const large = isShort ? LARGE_SHORT : LARGE;
  await using small = await useBooks(join(folder, 'small.db'), SMALL);
  await using big = await useBooks(join(folder, 'large.db'), large);
  const times = { smallCheck: [], bigCheck: [], smallPair: [], bigPair: [] } as Record<string, number[]>;
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, books] of [
      ['small', small],
      ['big', big],
    ] as const) {
      const check = await books.check(PER_ROUND);
      const pair = await books.pair(PER_ROUND);
      // The first round only warms up caches and creates what is created on first use.
      if (round === 0) continue;
      times[`${name}Check`]?.push(check);
      times[`${name}Pair`]?.push(pair);
    }
  }
  const median = (name: string): number => quantile(times[name] ?? [], 0.5);
  const file = await stat(join(folder, 'large.db'));
  return {
    'entries, small and large': `${SMALL} ${large}`,
    'large file, MB': file.size / 1e6,
    'seconds to create it': big.madeInMs / 1000,
    'check, small, us': median('smallCheck'),
    'check, large, us': median('bigCheck'),
    'check, ratio': median('bigCheck') / median('smallCheck'),
    'hold+post, small, us': median('smallPair'),
    'hold+post, large, us': median('bigPair'),
    'hold+post, ratio': median('bigPair') / median('smallPair'),
  };
}

interface Books extends AsyncDisposable {
  readonly madeInMs: number;
  /** Returns the mean time of a hold that is refused, in microseconds. */
  check(count: number): Promise<number>;
  /** Returns the mean time of a hold and its charge, each in its own transaction, in microseconds. */
  pair(count: number): Promise<number>;
}

async function useBooks(path: string, entries: number): Promise<Books> {
  const startedMs = systemClock.monotonic();
  await (await openDatabase({ url: `sqlite:${path}` }))[Symbol.asyncDispose]();
  fill(path, entries);
  const database = await openDatabase({ url: `sqlite:${path}` });
  // An fsync costs the same for small and large books and would hide the effect of the books' size.
  await sql.raw('pragma synchronous = NORMAL').execute(database.kysely);
  const madeInMs = systemClock.monotonic() - startedMs;
  const defaultBudget = { limit: micros(1e15), period: 'month', timeZone: 'Europe/Berlin' } as const;
  const ledger = new Ledger({ clock: systemClock, defaultBudget });
  const common = { guildId: '1', userId: '7', roleIds: [], capability: 'photo_swap', rateCard: '{}' };
  let count = 0;
  const each = async (times: number, work: () => Promise<unknown>): Promise<number> => {
    const roundMs = systemClock.monotonic();
    for (let index = 0; index < times; index++) await work();
    return ((systemClock.monotonic() - roundMs) * 1000) / times;
  };
  const hold = (subject: string, amount: number): Promise<unknown> =>
    database.transaction('guild:1', (trx) =>
      ledger.hold(trx, { ...common, subject, amount: micros(amount) }),
    );
  return {
    madeInMs,
    check: (times) => each(times, () => hold('refused', 2e15)),
    pair: (times) =>
      each(times, async () => {
        const subject = `new_${Math.random()}_${count++}`;
        await hold(subject, 50_000);
        await database.transaction('guild:1', (trx) =>
          ledger.post(trx, { subject, charged: micros(40_000) }),
        );
      }),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

/** Inserts three entries for every hold (held, charged, released), over the last year, for 1,000 members. */
function fill(path: string, entries: number): void {
  const sqlite = new BetterSqlite(path);
  sqlite.pragma('synchronous = OFF');
  sqlite.pragma('cache_size = -400000');
  const indexes = sqlite
    .prepare<[], { name: string; sql: string }>(
      `select name, sql from sqlite_schema where type = 'index' and sql is not null
       and tbl_name in ('holds', 'ledger_entries')`,
    )
    .all();
  for (const { name } of indexes) sqlite.exec(`drop index ${name}`);
  const holds = Math.ceil(entries / 3);
  const nowMs = Math.floor(Date.now() / 900_000) * 900_000;
  sqlite.exec('begin');
  sqlite
    .prepare(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < @holds)
       insert into holds (subject, guild_id, user_id, capability, amount_micros, state, charged_micros, slot_ms,
         rate_card, created_at_ms, resolved_at_ms)
       select 'job_' || lower(hex(randomblob(10))), '1', i % 1000,
         case i % 3 when 0 then 'photo_swap' when 1 then 'lip_sync' else 'video_swap' end,
         50000, 'posted', 40000, cast(@now / 900000 - 35040 + i * 35040.0 / @holds as integer) * 900000, '{}',
         cast(@now as integer), cast(@now as integer) from n`,
    )
    .run({ holds, now: nowMs });
  for (const [kind, credit, debit, amount] of [
    ['hold', 'budget', 'pending', 50_000],
    ['charge', 'pending', 'spent', 40_000],
    ['release', 'pending', 'budget', 10_000],
  ]) {
    sqlite
      .prepare(
        `insert into ledger_entries (subject, kind, guild_id, slot_ms, credit_account, debit_account, amount_micros, created_at_ms)
         select subject, ?, guild_id, slot_ms, ?, ?, ?, created_at_ms from holds`,
      )
      .run(kind, credit, debit, amount);
  }
  sqlite.exec(
    `insert into spending (guild_id, slot_ms, user_id, capability, posted_micros)
     select guild_id, slot_ms, user_id, capability, sum(charged_micros) from holds group by 1, 2, 3, 4`,
  );
  sqlite.exec('commit');
  for (const index of indexes) sqlite.exec(index.sql);
  sqlite.pragma('wal_checkpoint(truncate)');
  sqlite.close();
}
