import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { type Database, openDatabase } from '../../../db/database.ts';
import { openPseudonyms } from '../../../db/pseudonyms.ts';
import { ZERO } from '../../../src/base/money.ts';
import { verifyLedger } from '../../../src/bot/money/ledger/verify-ledger.ts';
import { postgresUrlOf } from '../../db/database-url.ts';
import { programOf } from '../../helpers/programs.ts';
import { seeded } from '../../media-server/kills/seeded.ts';
import type { BankTime } from './bank-clock.ts';
import { BankModel } from './bank-model.ts';
import { makeJournal, readNotes } from './journal.ts';
import { GUILDS, USERS } from './terms.ts';

export interface BankOptions {
  readonly on: 'sqlite' | 'postgres';
  /** The same seed gives the same choices, but the machine decides how the processes interleave. */
  readonly seed: number;
  readonly seconds: number;
}

export interface BankResult {
  readonly on: BankOptions['on'];
  readonly seed: number;
  /** Number of journal notes: granted holds, their outcomes, and changes of caps and zones. */
  readonly notes: number;
  readonly holds: number;
  readonly entries: number;
  readonly overruns: number;
  readonly zoneChanges: number;
  readonly kills: number;
  readonly pauses: number;
  readonly problems: readonly string[];
}

const TELLERS = 3;
const START_MS = Date.UTC(2026, 9, 20);
/** The longest duration of a run, in days of bank time; extended windows are not stored for longer. */
const DAYS_MAX = 90;
const SPEED_MAX = 100_000;
const PAUSE_MS_MAX = 400;
const GAP_MS_MAX = 1_500;
const PROBLEMS_MAX = 20;

/** Runs several processes on the same books, kills and pauses them, and then checks the books. */
export async function playBank(options: BankOptions): Promise<BankResult> {
  const { on, seed, seconds } = options;
  const dataDir = await mkdtemp(join(tmpdir(), 'masquerade-bank-'));
  const place =
    on === 'sqlite' ? { url: `sqlite:${dataDir}/bank.db`, drop: undefined } : await makePostgres();
  try {
    await using db = await openDatabase({ url: place.url });
    await makeJournal(db.kysely);
    const speed = Math.min(SPEED_MAX, (DAYS_MAX * 86_400) / (seconds + 30));
    const time: BankTime = { startMs: START_MS, sinceNs: String(process.hrtime.bigint()), speed };
    const lived = await live({ url: place.url, dataDir, time, seed, seconds });
    return { on, seed, ...lived, ...(await check(db, lived.problems)) };
  } finally {
    await place.drop?.();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function makePostgres(): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `bank_${randomBytes(6).toString('hex')}`;
  const run = async (text: string): Promise<void> => {
    const server = new Client({ connectionString: postgresUrlOf() });
    await server.connect();
    try {
      await server.query(text);
    } finally {
      await server.end();
    }
  };
  await run(`create database ${name}`);
  return { url: postgresUrlOf(name), drop: () => run(`drop database if exists ${name} with (force)`) };
}

interface Life {
  readonly url: string;
  readonly dataDir: string;
  readonly time: BankTime;
  readonly seed: number;
  readonly seconds: number;
}

/** Runs tellers until the time is up, and kills or pauses one at a time. */
async function live(life: Life): Promise<Pick<BankResult, 'kills' | 'pauses'> & { problems: string[] }> {
  const random = seeded(life.seed);
  const problems: string[] = [];
  let born = 0;
  const hire = (): ChildProcess => startTeller(life, born++, random(1 << 30), problems);
  const tellers = Array.from({ length: TELLERS }, hire);
  await Promise.all(tellers.map(present));
  const endsAtMs = performance.now() + life.seconds * 1000;
  let [kills, pauses] = [0, 0];
  while (performance.now() < endsAtMs) {
    await wait(random(GAP_MS_MAX));
    const place = random(TELLERS);
    const teller = tellers[place];
    if (!teller || problems.length > 0) break;
    if (random(3) > 0) {
      pauses++;
      teller.kill('SIGSTOP');
      await wait(random(PAUSE_MS_MAX));
      teller.kill('SIGCONT');
    } else {
      kills++;
      await kill(teller);
      tellers[place] = hire();
      // A busy machine takes seconds to start a process. Without this wait, a teller might be killed before it works.
      await present(tellers[place]);
    }
  }
  for (const teller of tellers) {
    const ended = once(teller, 'exit');
    if (teller.connected) teller.send('stop');
    if (teller.exitCode === null && teller.signalCode === null) await ended;
  }
  return { kills, pauses, problems };
}

function startTeller(life: Life, born: number, seed: number, problems: string[]): ChildProcess {
  const args = [life.url, life.dataDir, `t${born}`, String(seed), JSON.stringify(life.time)];
  const teller = fork(programOf(new URL('teller.ts', import.meta.url)), args, {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  teller.stderr?.on('data', (chunk) => (said = `${said}${String(chunk)}`.slice(-2_000)));
  teller.once('exit', (code, signal) => {
    if (code !== 0 && signal !== 'SIGKILL') problems.push(`A teller ended with ${code ?? signal}: ${said}`);
  });
  return teller;
}

/** Waits until the teller is working or has ended. */
async function present(teller: ChildProcess): Promise<void> {
  await Promise.race([once(teller, 'message'), once(teller, 'exit')]);
}

async function kill(teller: ChildProcess): Promise<void> {
  if (teller.exitCode !== null || teller.signalCode !== null) return;
  const exited = once(teller, 'exit');
  teller.kill('SIGKILL');
  await exited;
}

async function check(
  { kysely }: Database,
  lived: readonly string[],
): Promise<Omit<BankResult, 'on' | 'seed' | 'kills' | 'pauses'>> {
  const problems = [...lived];
  const verified = await verifyLedger(kysely, (difference) => problems.push(JSON.stringify(difference)));
  const pseudonymOf = await openPseudonyms(kysely);
  const users = new Map(USERS.map((userId) => [pseudonymOf(userId), userId]));
  let notes = 0;
  let zoneChanges = 0;
  for (const guildId of GUILDS) {
    const model = new BankModel((name) => users.get(name) ?? name);
    for (const note of await readNotes(kysely, guildId)) {
      notes++;
      if (note.kind === 'zone') zoneChanges++;
      model.apply(note);
    }
    problems.push(...model.problems);
    const stored = await kysely.selectFrom('holds').selectAll().where('guild_id', '=', guildId).execute();
    const rows = stored.map((hold) =>
      [hold.subject, hold.state, hold.amount_micros, hold.charged_micros, hold.overrun_micros].join(' '),
    );
    const expected = new Set(model.rows());
    for (const row of rows) if (!expected.delete(row)) problems.push(`Stored, but not in the model: ${row}`);
    for (const row of expected) problems.push(`In the model, but not stored: ${row}`);
  }
  const overruns = await kysely
    .selectFrom('holds')
    .select('subject')
    .where('overrun_micros', '>', ZERO)
    .execute();
  return {
    notes,
    holds: verified.holds,
    entries: verified.entries,
    overruns: overruns.length,
    zoneChanges,
    problems: problems.slice(0, PROBLEMS_MAX),
  };
}
