import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { openPseudonyms } from '../../../../db/pseudonyms.ts';
import { Access } from '../../../../src/bot/people/access/access.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { micros } from '../../../../src/base/money.ts';
import { BudgetRules } from '../../../../src/bot/money/budgets/budget-rules.ts';
import { GuildBudgets } from '../../../../src/bot/money/budgets/guild-budgets.ts';
import { Ledger } from '../../../../src/bot/money/ledger/ledger.ts';
import { verifyLedger } from '../../../../src/bot/money/ledger/verify-ledger.ts';
import { Members } from '../../../../src/bot/people/members/members.ts';
import { anOrigin } from '../../../helpers/an-origin.ts';
import { TEST_DATABASE } from '../../../db/database-url.ts';
import { storedBytes } from '../../../db/stored-bytes.ts';
import { sharedMediaPool } from '../../../helpers/use-media-pool.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { aHold } from '../../money/ledger/a-hold.ts';
import { recordingLogger } from '../../../helpers/recording-logger.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import type { AdminTarget } from '../../../../src/bot/money/budgets/admin-cap-key.ts';

const HOUR_MS = 3_600_000;
const ROOMY = { limit: micros(1_000_000), period: 'total', timeZone: 'UTC' } as const;
const USERS = ['111222333444555666', '777888999000111222'] as const;
const ROLE = '90001';

const userId = fc.constantFrom(...USERS);
const command = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('spend' as const),
      userId,
      amount: fc.integer({ min: 1, max: 40 }),
      charged: fc.integer({ min: 0, max: 40 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('delete' as const, 'block', 'unblock'), userId }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('cap' as const),
      target: fc.constantFrom('role' as const, ...USERS),
      limit: fc.option(fc.integer({ min: 0, max: 120 }), { freq: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('pass' as const), hours: fc.integer({ min: 1, max: 30 }) }),
  },
);

/** A model of the limits: roles have daily budgets, members have monthly budgets. */
class Model {
  readonly #limits = new Map<string, number>();
  readonly #blocked = new Set<string>();
  readonly #used: { userId: string; atMs: number; amount: number }[] = [];

  allows(user: string, amount: number, nowMs: number): boolean {
    const isSame = (atMs: number, length: number): boolean =>
      new Date(atMs).toISOString().slice(0, length) === new Date(nowMs).toISOString().slice(0, length);
    const fits = (target: string, length: number): boolean => {
      const own = this.#used.filter((use) => use.userId === user && isSame(use.atMs, length));
      const used = own.reduce((sum, use) => sum + use.amount, 0);
      return used + amount <= (this.#limits.get(target) ?? Infinity);
    };
    return !this.#blocked.has(user) && fits('role', 10) && fits(user, 7);
  }

  use(user: string, atMs: number, amount: number): void {
    this.#used.push({ userId: user, atMs, amount });
  }

  limit(target: string, limit: number | null): void {
    if (limit === null) this.#limits.delete(target);
    else this.#limits.set(target, limit);
  }

  block(user: string, on: boolean): void {
    if (on) this.#blocked.add(user);
    else this.#blocked.delete(user);
  }
}

async function useGuild() {
  const dataDir = await useFolder();
  const db = await useDatabase(join(dataDir, 'masquerade.db'));
  const clock = new FakeClock(Date.UTC(2026, 0, 29));
  const pseudonymOf = await openPseudonyms(db.kysely);
  const ledger = new Ledger({ clock, defaultBudget: ROOMY, pseudonymOf });
  const rules = new BudgetRules({ db, clock, timeZone: 'UTC' });
  const usual = { ...ROOMY, allowance: null };
  const budgets = new GuildBudgets({ db, clock, ledger, rules, usual, pseudonymOf });
  const access = await Access.open({ db, clock });
  const lines: string[] = [];
  const members = await Members.open({
    db,
    clock,
    dataDir,
    log: recordingLogger(lines),
    pictures: sharedMediaPool(),
    fetcher: { fetch: () => Promise.reject(new Error('This test fetches nothing')) },
    publisher: { remove: () => Promise.resolve(true) },
    presence: { isIn: () => true, watch: () => ({ [Symbol.dispose]: () => undefined }) },
    pseudonymOf,
    limitSpanOf: (trx, guildId) => ledger.limitSpan(trx, guildId),
    removeJobFiles: () => Promise.resolve(),
    resultKeepMs: 1,
  });
  onTestFinished(() => members[Symbol.asyncDispose]());
  members.start();
  return { dataDir, db, clock, ledger, budgets, access, members, lines };
}

type Guild = Awaited<ReturnType<typeof useGuild>>;

/** Holds and charges an amount if the rules and all budgets allow it. */
async function spend(
  guild: Guild,
  subject: string,
  user: string,
  amounts: { amount: number; charged: number },
) {
  const { db, access, ledger } = guild;
  const origin = anOrigin({ guildId: 'guild', userId: user, roleIds: [ROLE] });
  return db.transaction('guild:guild', async (trx) => {
    const request = { ...aHold(subject, micros(amounts.amount)), userId: user, roleIds: [ROLE] };
    const refusal = await access.refuses(trx, {
      ...origin,
      capability: 'photo_swap',
      parameters: {},
      inputs: [],
    });
    if (refusal) return false;
    const { held } = await ledger.hold(trx, request);
    if (held) await ledger.post(trx, { subject, charged: micros(amounts.charged) });
    return held;
  });
}

/** Removes a member's data, and expects that no stored or logged data names the member any longer. */
async function removeData(guild: Guild, user: string): Promise<void> {
  const { members, db, dataDir, lines } = guild;
  await members.privacy.remove(user, { keepNeverSwap: false });
  const left = () => db.kysely.selectFrom('removals').select('kind').execute();
  await expect.poll(left, { interval: 1 }).toEqual([]);
  const traces = async (): Promise<string[]> =>
    [...(await storedBytes(dataDir))].flatMap(([path, bytes]) => (bytes.includes(user) ? [path] : []));
  await expect.poll(traces, { interval: 1 }).toEqual([]);
  expect(lines.filter((line) => line.includes(user))).toEqual([]);
}

test(
  'limits apply as if nobody had ever deleted data, whatever is spent, deleted, blocked and limited, and no data names a removed member',
  { timeout: 600_000 },
  async () => {
    const values = fc.array(command, { minLength: 3, maxLength: 25, size: 'max' });
    await fc.assert(
      fc.asyncProperty(values, async (commands) => {
        const guild = await useGuild();
        const { clock, budgets, access } = guild;
        const admin = { guildId: 'guild', userId: '5', roleIds: [], isAdmin: true };
        const model = new Model();
        for (const [index, one] of commands.entries()) {
          if (one.do === 'pass') await clock.advance(one.hours * HOUR_MS);
          else if (one.do === 'delete') await removeData(guild, one.userId);
          else if (one.do === 'spend') {
            const isAllowed = model.allows(one.userId, one.amount, clock.now());
            expect(await spend(guild, `job-${index}`, one.userId, one)).toBe(isAllowed);
            if (isAllowed) model.use(one.userId, clock.now(), one.charged);
          } else if (one.do === 'cap') {
            const target: AdminTarget =
              one.target === 'role' ? { kind: 'role', roleId: ROLE } : { kind: 'member', userId: one.target };
            const key = {
              target,
              capability: null,
              period: one.target === 'role' ? 'day' : 'month',
            } as const;
            if (one.limit === null) await budgets.clear(admin, key);
            else await budgets.set(admin, { ...key, limit: micros(one.limit) });
            model.limit(one.target, one.limit);
          } else {
            const entry = { kind: 'member', target: one.userId } as const;
            const origin = anOrigin({ guildId: 'guild', userId: '5', isAdmin: true });
            if (one.do === 'block') await access.set(origin, { ...entry, effect: 'deny' });
            else await access.clear(origin, entry);
            model.block(one.userId, one.do === 'block');
          }
        }
        const found: unknown[] = [];
        await verifyLedger(guild.db.kysely, (difference) => found.push(difference));
        expect(found).toEqual([]);
        await guild.members[Symbol.asyncDispose]();
        await guild.db[Symbol.asyncDispose]();
      }),
      { numRuns: TEST_DATABASE === 'postgres' ? 5 : 25 },
    );
  },
);
