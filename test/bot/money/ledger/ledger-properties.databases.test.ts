import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../../db/database.ts';
import { verifyLedger } from '../../../../src/bot/money/ledger/verify-ledger.ts';
import { TEST_DATABASE } from '../../../db/database-url.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { type LedgerCommand, commandsOf, startsAtMs } from './commands.ts';
import { LedgerModel, nameOf } from './ledger-model.ts';
import { PlayedBooks, capName } from './played-books.ts';

const LENGTH = 250;
/** The share of the runs that take place, because a command takes much longer on a database server than in memory. */
const SHARE = TEST_DATABASE === 'postgres' ? 0.02 : 1;
const TIMEOUT_MS = 900_000;

/** Several runs share a database, because creating a database and verifying all its books takes longer than a run. */
const RUNS_A_DATABASE = 4;

let shared: { readonly db: Database; runs: number } | undefined;

/** Has `work` create guilds' books, in memory or on the test server. Verifies the whole ledger at the end. */
async function withBooks(work: (make: (name: string, startMs: number) => PlayedBooks) => Promise<void>) {
  shared ??= {
    db: TEST_DATABASE === 'postgres' ? await useDatabase() : await openDatabase({ url: 'sqlite::memory:' }),
    runs: 0,
  };
  const { db } = shared;
  let isSound = false;
  try {
    await work((name, startMs) => new PlayedBooks(db, name, startMs));
    const found: unknown[] = [];
    await verifyLedger(db.kysely, (difference) => found.push(difference));
    expect(found).toEqual([]);
    isSound = true;
  } finally {
    // Incorrect books from one run must not make the next run fail.
    if (!isSound || (shared.runs += 1) === RUNS_A_DATABASE) await closeShared();
  }
}

async function closeShared(): Promise<void> {
  await shared?.db[Symbol.asyncDispose]();
  shared = undefined;
}

afterEach(closeShared);

let guilds = 0;

/** Returns the name of a new guild, because runs share the database. */
function nextGuild(): string {
  return `guild-${guilds++}`;
}

/** Checks a property, and prints how many commands were played. */
async function check<T>(
  what: string,
  of: { readonly values: fc.Arbitrary<T>; readonly runs: number; readonly played: (value: T) => number },
  property: (value: T) => Promise<void>,
): Promise<void> {
  let commands = 0;
  const counted = fc.asyncProperty(of.values, async (value) => {
    commands += of.played(value);
    await property(value);
  });
  await fc.assert(counted, { numRuns: Math.ceil(of.runs * SHARE) });
  process.stdout.write(`${what}: ${commands} commands\n`);
}

/** Plays a command on the books and on the model, and expects the same result. */
async function playOnBoth(books: PlayedBooks, model: LedgerModel, command: LedgerCommand): Promise<void> {
  const refusing = model.apply(command, books.clock.now());
  const outcome = await books.play(command);
  if (refusing === null) {
    if (outcome) expect(outcome.held).toBe(true);
    else expect(outcome).toBeUndefined();
  } else if (refusing.length === 0) {
    expect(outcome).toBeNull();
  } else {
    if (!outcome || outcome.held) throw new Error('The ledger accepted a hold that exceeds a budget');
    const names = refusing.map(nameOf);
    expect(names).toContain(capName(outcome.cap));
    expect(outcome.cap.posted + outcome.cap.pending + outcome.needed).toBeGreaterThan(outcome.cap.limit);
  }
}

async function expectSame(books: PlayedBooks, model: LedgerModel): Promise<void> {
  expect((await books.state()).holds).toEqual(model.rows());
  expect(await books.standing()).toEqual(model.standing(books.clock.now()));
}

test(
  'the ledger agrees with the model after any holds, resizes, charges, caps and repeats in every zone, and verifies',
  async () => {
    const values = fc.record({ startMs: startsAtMs, commands: commandsOf(LENGTH) });
    const played = ({ commands }: { commands: readonly LedgerCommand[] }): number => commands.length;
    await check('model', { values, runs: 150, played }, async ({ startMs, commands }) => {
      await withBooks(async (make) => {
        const books = make(nextGuild(), startMs);
        const model = new LedgerModel();
        for (const [index, command] of commands.entries()) {
          await playOnBoth(books, model, command);
          if (index % 50 === 49) await expectSame(books, model);
        }
        await expectSame(books, model);
      });
    });
  },
  TIMEOUT_MS,
);

test(
  'a prefix that is played again, elsewhere or after itself, gives the same state',
  async () => {
    const values = fc.record({
      startMs: startsAtMs,
      commands: commandsOf(60),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    const played = ({ commands }: { commands: readonly LedgerCommand[] }): number => 3 * commands.length;
    await check('replay', { values, runs: 30, played }, async ({ startMs, commands, share }) => {
      await withBooks(async (make) => {
        const prefix = commands.slice(0, Math.ceil(commands.length * share));
        const first = make(nextGuild(), startMs);
        const told: [LedgerCommand, number][] = [];
        for (const command of prefix) {
          const nowMs = first.clock.now();
          const outcome = await first.play(command);
          // Commands that were refused are left out, because a repetition may be accepted. Resizes are left out,
          // because their effect depends on when they happen.
          const isEvent = command.kind === 'hold' || command.kind === 'post' || command.kind === 'void';
          if (isEvent && outcome !== null && (!outcome || outcome.held)) told.push([command, nowMs]);
        }
        const state = await first.state();

        const second = make(nextGuild(), startMs);
        for (const command of prefix) await second.play(command);
        expect(await second.state()).toEqual(state);

        for (const [command, nowMs] of [...told, ...told]) await first.play(command, nowMs);
        expect(await first.state()).toEqual(state);
      });
    });
  },
  TIMEOUT_MS,
);

test(
  'late and repeated charges lead to the same state in whatever order they arrive',
  async () => {
    const charges = fc.uniqueArray(
      fc.record({ charged: fc.integer({ min: 0, max: 90 }), agoMs: fc.integer({ min: 0, max: 50 }) }),
      { minLength: 1, maxLength: 5, selector: ({ agoMs }) => agoMs },
    );
    const orders = charges.chain((some) =>
      fc.tuple(
        fc.shuffledSubarray([...some, ...some], { minLength: 2 * some.length }),
        fc.shuffledSubarray([...some, ...some], { minLength: 2 * some.length }),
      ),
    );
    const played = (both: readonly (readonly unknown[])[]): number => both.flat().length;
    await check('orders', { values: orders, runs: 50, played }, async (both) => {
      await withBooks(async (make) => {
        const ends: unknown[] = [];
        for (const order of both) {
          const books = make(nextGuild(), 1e12);
          const hold = { userId: 'ada', roleIds: [], capability: 'lip_sync', amount: 50 };
          await books.play({ kind: 'hold', subject: 'a', ...hold });
          for (const charge of order) await books.play({ kind: 'post', subject: 'a', ...charge });
          const { holds } = await books.state();
          // The overrun is left out, because it depends on the order of the charges.
          ends.push(holds.map((row) => row.slice(0, 4)));
        }
        expect(ends[0]).toEqual(ends[1]);
      });
    });
  },
  TIMEOUT_MS,
);
