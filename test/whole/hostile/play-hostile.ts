import { truncate } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../../src/base/clock.ts';
import { ResultLinks } from '../../../src/bot/jobs/results/result-links.ts';
import type { MessageView } from '../../../src/sandbox/script/message-view.ts';
import { quantile } from '../../bench/quantile.ts';
import { bookProblems } from '../../helpers/exactly-once.ts';
import { Attacker } from './attacker.ts';
import { WEB_ATTACKS, slowReaders, unreadFiles } from './attacks.ts';
import type { BadFigures } from './bad-members.ts';
import { type CallerFigures, HEALTH, HonestCallers } from './honest-callers.ts';
import type { HonestFigures } from './honest-members.ts';
import { HostilePlace } from './hostile-place.ts';
import { fileOf } from './play-held.ts';
import { type ProcessMost, watchProcess } from './process-watch.ts';
import type { StormFigures } from './webhook-storm.ts';

export interface HostileOptions {
  readonly seconds: number;
  /** Number of connections that each kind of attack holds. */
  readonly sockets: number;
  /** The maximum number of forged webhooks per second. */
  readonly forgedPerSecond: number;
  /** Number of members who use a command with each of the worst files, all at the same time. */
  readonly worstEach: number;
}

/** Includes the program's peak figures. */
export interface HostileFigures extends ProcessMost, HonestFigures, BadFigures {
  readonly commands: number;
  readonly acknowledgedP99Ms: number;
  readonly acknowledgedMaxMs: number;
  readonly storm: StormFigures;
  readonly callers: CallerFigures;
  readonly deliveriesSent: number;
  readonly deliveriesKept: number;
  /** The average number of processes that waited for a processor in the last minute. */
  readonly machineLoad: number;
  readonly warnings: number;
  /** Number of logged errors by their message and cause. */
  readonly errors: Readonly<Record<string, number>>;
  /** Everything that was lost, duplicated or left open, or that died. */
  readonly problems: readonly string[];
}

const COMMAND_GAP_MS = 500;
const JOBS_MS_MAX = 120_000;
const LOOK_MS = 500;
const LINKS_MS = 3_600_000;
/** Far more than the system buffers for a reader that reads nothing. */
const HELD_RESULT_BYTES = 64 * 2 ** 20;

/** Runs the program for honest members while all attacks run at the same time. */
export async function playHostile(options: HostileOptions): Promise<HostileFigures> {
  await using place = await HostilePlace.open(options.worstEach);
  const { honest, media, url } = place;
  await honest.swap();
  await honest.swap();
  const [held, read] = await keptResults(place);
  await using attacker = await Attacker.open();
  const callers = new HonestCallers({ url, secret: media.signingSecret, paths: [...HEALTH, read] });
  const over = new AbortController();
  const asked = callers.askUntil(over.signal);
  const most = watchProcess(place.program.pid, over.signal);
  const storm = await attack(place, attacker, { ...options, held });
  const settled = await allSettled(place);
  const machineLoad = Math.round(loadavg()[0] ?? 0);
  over.abort();
  await asked;
  return {
    ...(await memberFigures(place)),
    storm,
    callers: callers.figures(),
    deliveriesSent: callers.deliveries,
    deliveriesKept: await countKept(place),
    ...(await most),
    machineLoad,
    problems: [...settled, ...(await lostOrDoubled(place))],
  };
}

/** Attacks in every way while honest members use commands. Resolves when the attacker has stopped sending. */
async function attack(
  { url, program, honest, bad }: HostilePlace,
  attacker: Attacker,
  { seconds, sockets, forgedPerSecond, held }: HostileOptions & { readonly held: string },
): Promise<StormFigures> {
  const file = await fileOf(url, '/live/');
  for (const { name: _name, ...way } of [...WEB_ATTACKS, slowReaders(held), unreadFiles(file)]) {
    await attacker.hold({ url, count: sockets, ...way });
  }
  const storm = attacker.storm({ url, seconds, connections: 64, perSecondMax: forgedPerSecond });
  const worst = bad.sendWorst();
  const untilMs = performance.now() + seconds * 1_000;
  while (performance.now() < untilMs && program.isAlive) {
    await honest.swap();
    await wait(COMMAND_GAP_MS);
  }
  await worst;
  return await storm;
}

async function memberFigures({
  honest,
  bad,
  db,
  program,
}: HostilePlace): Promise<
  HonestFigures &
    BadFigures &
    Pick<HostileFigures, 'commands' | 'acknowledgedP99Ms' | 'acknowledgedMaxMs' | 'warnings' | 'errors'>
> {
  const uses = [...honest.uses, ...bad.uses];
  const tookMs = uses.map((use) => use.acknowledgedAfterMs ?? Infinity);
  const { time, ...badFigures } = await bad.figures(db);
  const lines = program.stderr.split('\n');
  return {
    commands: uses.length,
    acknowledgedP99Ms: Math.round(quantile(tookMs, 0.99)),
    acknowledgedMaxMs: Math.round(Math.max(...tookMs)),
    ...(await honest.figures(db, time)),
    ...badFigures,
    warnings: lines.filter((line) => line.includes('"level":"warn"')).length,
    errors: countBy(lines.filter((line) => line.includes('"level":"error"')).map(errorOf)),
  };
}

/** Returns the message of a logged error, with the error's own message if it has one. */
function errorOf(line: string): string {
  const { msg, error } = JSON.parse(line) as { msg: string; error?: { message?: string } };
  return error?.message === undefined ? msg : `${msg}: ${error.message}`;
}

function countBy(keys: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
}

/** Returns the jobs and messages that were lost or duplicated. */
async function lostOrDoubled({
  program,
  dataDir,
  media,
  sandbox,
  honest,
  bad,
}: HostilePlace): Promise<string[]> {
  sandbox.takeViolations();
  if (!program.isAlive) return ['The program died'];
  const messages = [...honest.messages, ...bad.messages].filter((message) => !isRefusal(message));
  return bookProblems({ dataDir, media, messages });
}

/** Returns whether the message answers a command that became no job. */
function isRefusal({ text }: MessageView): boolean {
  return text.includes('There is more work waiting than can be done soon.');
}

/** Returns the paths of links to two kept results, of which the first is made large. */
async function keptResults(place: HostilePlace): Promise<readonly [string, string]> {
  const { db } = place;
  const publicUrl = (path: string): string => path;
  const links = await ResultLinks.open({ db, clock: systemClock, publicUrl, lifeMs: LINKS_MS });
  const kept = db.kysely.selectFrom('jobs').selectAll().where('stage', '=', 'settled').orderBy('id');
  const untilMs = performance.now() + JOBS_MS_MAX;
  let jobs = await kept.execute();
  for (; jobs.length < 2 && performance.now() < untilMs; jobs = await kept.execute()) await wait(LOOK_MS);
  const [held, read] = jobs;
  await truncate(must(held?.result_path), HELD_RESULT_BYTES);
  return [must(links.linkTo(must(held))?.url), must(links.linkTo(must(read))?.url)];
}

/** Waits until no job is open. Returns a problem if jobs stay open. */
async function allSettled({ db, program }: HostilePlace): Promise<string[]> {
  const untilMs = performance.now() + JOBS_MS_MAX;
  while (program.isAlive) {
    const open = await db.kysely
      .selectFrom('jobs')
      .select('id')
      .where('stage', 'not in', ['settled', 'abandoned'])
      .execute();
    if (open.length === 0) return [];
    if (performance.now() > untilMs) return [`${open.length} jobs were left open`];
    await wait(LOOK_MS);
  }
  return [];
}

async function countKept({ db }: HostilePlace): Promise<number> {
  const rows = await db.kysely
    .selectFrom('webhook_deliveries')
    .select('delivery_id')
    .where('delivery_id', 'like', 'dlv_honest_%')
    .execute();
  return rows.length;
}

function must<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new TypeError('Cannot play without it');
  return value;
}
