/** One process of the bank. It makes random changes until it is stopped or killed. */
import { sql } from 'kysely';
import { openDatabase } from '../../../db/database.ts';
import { Disposer } from '../../../src/base/disposer.ts';
import { Confinement } from '../../../src/base/children/confinement.ts';
import { MediaPool } from '../../../src/bot/media/pool/media-pool.ts';
import { openPseudonyms } from '../../../db/pseudonyms.ts';
import { putBudgetSettings } from '../../../db/queries/budget-settings.ts';
import { silentLogger } from '../../../src/base/log.ts';
import { micros } from '../../../src/base/money.ts';
import { BudgetRules } from '../../../src/bot/money/budgets/budget-rules.ts';
import { noteZoneChange } from '../../../src/bot/money/caps/note-zone-change.ts';
import { GuildBudgets } from '../../../src/bot/money/budgets/guild-budgets.ts';
import { Ledger } from '../../../src/bot/money/ledger/ledger.ts';
import { Members } from '../../../src/bot/people/members/members.ts';
import { seeded } from '../../media-server/kills/seeded.ts';
import { type BankTime, bankClock } from './bank-clock.ts';
import { type Note, writeNote } from './journal.ts';
import {
  ALLOWANCE,
  CAPABILITIES,
  DEFAULT_BUDGET,
  GUILDS,
  OPERATOR_ZONE,
  PERIODS,
  ROLES,
  USERS,
  ZONES,
} from './terms.ts';
import type { AdminTarget } from '../../../src/bot/money/budgets/admin-cap-key.ts';

const [url = '', dataDir = '', name = '', seed = '', time = ''] = process.argv.slice(2);
const random = seeded(Number(seed));
const clock = bankClock(JSON.parse(time) as BankTime);
const owned = new Disposer();
const db = owned.use(await openDatabase({ url, clock }));
const pseudonymOf = await openPseudonyms(db.kysely);
const options = { db, clock, pseudonymOf };
const ledger = new Ledger({ ...options, defaultBudget: DEFAULT_BUDGET, allowance: ALLOWANCE });
const rules = new BudgetRules({ ...options, timeZone: OPERATOR_ZONE });
const usual = { ...DEFAULT_BUDGET, allowance: ALLOWANCE };
const budgets = new GuildBudgets({ ...options, ledger, rules, usual });
const log = silentLogger;
const pictures = owned.use(new MediaPool({ confinement: new Confinement({ log }), clock, log }));
const members = owned.use(
  await Members.open({
    ...options,
    dataDir,
    log,
    pictures,
    fetcher: { fetch: () => Promise.reject(new Error('This test fetches nothing')) },
    publisher: { remove: () => Promise.resolve(true) },
    presence: { isIn: () => true, watch: () => ({ [Symbol.dispose]: () => undefined }) },
    limitSpanOf: (trx, guildId) => ledger.limitSpan(trx, guildId),
    removeJobFiles: () => Promise.resolve(),
    resultKeepMs: 1,
  }),
);
members.start();

/** Factors for the random amount in a budget, by the budget's period. A daily budget is at most the allowance. */
const FACTORS = { day: 1, week: 3, month: 9, total: 20 } as const;

const stopping = new AbortController();
process.once('message', () => stopping.abort());
process.send?.('ready');
let done = 0;
while (!stopping.signal.aborted && process.connected) {
  await act();
  done++;
}
process.send?.(done);
process.disconnect();
await owned[Symbol.asyncDispose]();

function one<T>(values: readonly T[]): T {
  const value = values[random(values.length)];
  if (value === undefined) throw new TypeError('Cannot choose from an empty list');
  return value;
}

async function act(): Promise<void> {
  const way = random(100);
  const guildId = one(GUILDS);
  if (way < 40) return hold(guildId);
  if (way < 84) return change(guildId);
  if (way < 92) return setCap(guildId);
  if (way < 96) return setZone(guildId);
  if (way < 98) return members.privacy.remove(one(USERS), { keepNeverSwap: false });
  await ledger.views(db.kysely, guildId, { userId: one(USERS), roleIds: ROLES });
}

async function hold(guildId: string): Promise<void> {
  const subject = `${name}-${done}`;
  const spender = {
    userId: one(USERS),
    roleIds: ROLES.filter(() => random(2) === 0),
    capability: one(CAPABILITIES),
  };
  const amount = micros(1 + random(3_000_000));
  await db.transaction(`guild:${guildId}`, async (trx) => {
    const outcome = await ledger.hold(trx, { subject, guildId, ...spender, amount, rateCard: '{}' });
    if (!outcome.held) return;
    const row = await trx
      .selectFrom('holds')
      .select('created_at_ms')
      .where('subject', '=', subject)
      .executeTakeFirstOrThrow();
    await writeNote(trx, guildId, { kind: 'hold', subject, ...spender, amount, atMs: row.created_at_ms });
  });
}

/** Changes an earlier hold, made by any process and usually still open. */
async function change(guildId: string): Promise<void> {
  const isOpen = random(5) > 0;
  const found = await db.kysely
    .selectFrom('holds')
    .select('subject')
    .where('guild_id', '=', guildId)
    .$if(isOpen, (query) => query.where(sql<boolean>`state in ('pending', 'review')`))
    .orderBy('created_at_ms', 'desc')
    .limit(20)
    .execute();
  if (found.length === 0) return;
  const { subject } = one(found);
  const amount = micros(1 + random(4_000_000));
  const way = random(10);
  await db.transaction(`guild:${guildId}`, async (trx) => {
    const note = await changed(way);
    if (note) await writeNote(trx, guildId, note);

    async function changed(which: number): Promise<Note | undefined> {
      if (which < 5) {
        const asOfMs = clock.now() - (random(4) === 0 ? 3_600_000 : 0);
        const charged = micros(random(3) === 0 ? random(5_000_000) : Math.floor(amount / 2));
        await ledger.post(trx, { subject, charged, asOfMs });
        return { kind: 'post', subject, charged, asOfMs };
      }
      if (which < 6) {
        await ledger.review(trx, { subject });
        return { kind: 'review', subject };
      }
      if (which < 8) {
        await ledger.void(trx, { subject });
        return { kind: 'void', subject };
      }
      const outcome = await ledger.resize(trx, { subject, amount, rateCard: '{}' });
      const row = await trx
        .selectFrom('holds')
        .select('user_id')
        .where('subject', '=', subject)
        .executeTakeFirstOrThrow();
      const isGone = !(USERS as readonly string[]).includes(row.user_id);
      return outcome.held ? { kind: 'resize', subject, amount, isGone } : undefined;
    }
  });
}

async function setCap(guildId: string): Promise<void> {
  const by = { guildId, userId: one(USERS), roleIds: [], isAdmin: true };
  const targets: readonly AdminTarget[] = [
    { kind: 'guild' },
    { kind: 'role', roleId: one(ROLES) },
    { kind: 'member', userId: one(USERS) },
  ];
  const capability = random(2) === 0 ? null : one(CAPABILITIES);
  const key = { target: one(targets), capability, period: one(PERIODS) };
  if (random(3) === 0) await budgets.clear(by, key);
  else await budgets.set(by, { ...key, limit: micros(2_000_000 + random(8_000_000) * FACTORS[key.period]) });
}

/** Changes a guild's time zone as `BudgetRules` does, and also records the change in the journal. */
async function setZone(guildId: string): Promise<void> {
  const chosen = one(ZONES);
  await db.transaction(`guild:${guildId}`, async (trx) => {
    const atMs = clock.now();
    const timeZone = chosen ?? OPERATOR_ZONE;
    await noteZoneChange(trx, { guildId, timeZone, operatorZone: OPERATOR_ZONE, nowMs: atMs });
    await putBudgetSettings(trx, guildId, { time_zone: chosen });
    await writeNote(trx, guildId, { kind: 'zone', zone: timeZone, atMs });
  });
}
