import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { SandboxChannel } from '../../src/sandbox/script/guild-script.ts';
import type { SandboxMember } from '../../src/sandbox/script/member-script.ts';
import type { UseOfBot } from '../../src/sandbox/script/use-of-bot.ts';
import { quantile } from '../bench/quantile.ts';
import { bookProblems } from '../exactly-once.ts';
import { picture } from '../media-server/test-engine.ts';
import { Attacker } from './attacker.ts';
import { WEB_ATTACKS } from './attacks.ts';
import { type HonestFigures, HonestCallers } from './honest-callers.ts';
import { HostilePlace } from './hostile-place.ts';
import type { StormFigures } from './webhook-storm.ts';
import { type WorstFile, worstClip, worstPicture } from './worst-files.ts';

export interface HostileOptions {
  readonly seconds: number;
  /** Number of held connections of each kind. */
  readonly sockets: number;
  /** The most forged webhooks per second. */
  readonly forgedPerSecond: number;
  /** Number of commands with each of the worst files. */
  readonly worstEach: number;
}

export interface HostileFigures {
  readonly commands: number;
  readonly acknowledgedP99Ms: number;
  readonly acknowledgedMaxMs: number;
  readonly storm: StormFigures;
  readonly honest: HonestFigures;
  readonly deliveriesSent: number;
  readonly deliveriesKept: number;
  readonly residentMegabytesMax: number;
  readonly warnings: number;
  /** Everything that was lost, doubled, left open, or died. */
  readonly problems: readonly string[];
}

const COMMAND_GAP_MS = 500;
const JOBS_MS_MAX = 120_000;
const LOOK_MS = 500;

interface Club {
  readonly member: SandboxMember;
  readonly channel: SandboxChannel;
}

/** Runs the program for honest members while all attacks run at the same time. */
export async function playHostile(options: HostileOptions): Promise<HostileFigures> {
  const clubs: Club[] = [];
  await using place = await HostilePlace.open((sandbox) => {
    const guild = sandbox.addGuild('Film club');
    clubs.push({ member: guild.addMember('Ada'), channel: guild.addTextChannel('general') });
    const other = sandbox.addGuild('Bad club');
    clubs.push({ member: other.addMember('Mallory'), channel: other.addTextChannel('general') });
  });
  await using attacker = await Attacker.open();
  const { url } = place;
  const callers = new HonestCallers({ url, secret: place.media.signingSecret });
  const over = new AbortController();
  const { signal } = over;
  const honest = callers.askUntil(signal);
  const memory = watchMemory(place.program.pid, signal);
  const uses: UseOfBot[] = [];
  const [club, badClub] = clubs as [Club, Club];
  for (const { name: _name, ...attack } of WEB_ATTACKS) {
    await attacker.hold({ url, count: options.sockets, ...attack });
  }
  const storm = attacker.storm({
    url,
    seconds: options.seconds,
    connections: 64,
    perSecondMax: options.forgedPerSecond,
  });
  const worst = sendWorst(badClub, [await worstPicture(), worstClip()], options.worstEach);
  const untilMs = performance.now() + options.seconds * 1_000;
  while (performance.now() < untilMs && place.program.isAlive) {
    uses.push(await swap(club));
    await wait(COMMAND_GAP_MS);
  }
  const bad = await worst;
  const settled = await allSettled(place);
  over.abort();
  await honest;
  const tookMs = uses.map((use) => use.acknowledgedAfterMs ?? Number.POSITIVE_INFINITY);
  const deliveriesKept = await countKept(place);
  const problems = place.program.isAlive
    ? await bookProblems({
        dataDir: place.dataDir,
        media: place.media,
        messages: [...club.channel.messages, ...badClub.channel.messages],
      })
    : ['The program died'];
  place.sandbox.takeViolations();
  return {
    commands: uses.length + bad,
    acknowledgedP99Ms: Math.round(quantile(tookMs, 0.99)),
    acknowledgedMaxMs: Math.round(Math.max(...tookMs)),
    storm: await storm,
    honest: callers.figures(),
    deliveriesSent: callers.deliveries,
    deliveriesKept,
    residentMegabytesMax: await memory,
    warnings: place.program.stderr.split('\n').filter((line) => line.includes('"level":"warn"')).length,
    problems: [...settled, ...problems],
  };
}

const [IMAGE, FACE] = await Promise.all([picture(10, 64), picture(200, 64)]);

function swap({ member, channel }: Club): Promise<UseOfBot> {
  const options = { image: { name: 'image.png', bytes: IMAGE }, face: { name: 'face.png', bytes: FACE } };
  return member.runs('/photo-swap', { in: channel, options });
}

/** Sends commands with the worst files to all lanes at the same time. Returns the number of commands. */
async function sendWorst(club: Club, [image, video]: readonly WorstFile[], each: number): Promise<number> {
  const face = { name: 'face.png', bytes: FACE };
  const { member, channel } = club;
  for (let round = 0; round < each; round++) {
    await member.runs('/photo-swap', { in: channel, options: { image, face } });
    await member.runs('/video-swap', { in: channel, options: { video, face } });
  }
  return 2 * each;
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

/** The most memory that the process held until the signal aborts. */
async function watchMemory(pid: number, signal: AbortSignal): Promise<number> {
  let max = 0;
  while (!signal.aborted) {
    max = Math.max(max, residentMegabytes(pid));
    await wait(LOOK_MS);
  }
  return Math.round(max);
}

function residentMegabytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
