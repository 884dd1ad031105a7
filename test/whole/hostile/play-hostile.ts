import { truncate } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../../src/base/clock.ts';
import { ResultLinks } from '../../../src/bot/jobs/results/result-links.ts';
import type { SandboxChannel } from '../../../src/sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../../src/sandbox/script/sandbox-member.ts';
import type { MessageView } from '../../../src/sandbox/script/message-view.ts';
import type { UseOfBot } from '../../../src/sandbox/script/use-of-bot.ts';
import { quantile } from '../../bench/quantile.ts';
import { bookProblems } from '../../helpers/exactly-once.ts';
import { picture } from '../../media-server/test-engine.ts';
import { Attacker } from './attacker.ts';
import { WEB_ATTACKS, slowReaders, unreadFiles } from './attacks.ts';
import { HEALTH, type HonestFigures, HonestCallers } from './honest-callers.ts';
import { HostilePlace } from './hostile-place.ts';
import { fileOf } from './play-held.ts';
import { type ProcessMost, watchProcess } from './process-watch.ts';
import type { StormFigures } from './webhook-storm.ts';
import { type WorstFile, worstClip, worstPicture } from './worst-files.ts';

export interface HostileOptions {
  readonly seconds: number;
  /** Number of held connections of each kind. */
  readonly sockets: number;
  /** The most forged webhooks per second. */
  readonly forgedPerSecond: number;
  /** Members who use a command with each of the worst files, all at the same time. */
  readonly worstEach: number;
}

/** Includes the peak figures of the program. */
export interface HostileFigures extends ProcessMost {
  readonly commands: number;
  readonly acknowledgedP99Ms: number;
  readonly acknowledgedMaxMs: number;
  readonly storm: StormFigures;
  readonly honest: HonestFigures;
  readonly deliveriesSent: number;
  readonly deliveriesKept: number;
  /** Commands of honest members, and how many of them became jobs. */
  readonly honestCommands: number;
  readonly honestAccepted: number;
  /** Commands with the worst files that were refused because too much work was waiting. */
  readonly refused: number;
  /** The outcomes of the jobs with the worst files, by outcome and reason. */
  readonly worst: Readonly<Record<string, number>>;
  /** The longest time of an honest job from its acceptance to its end. */
  readonly jobSecondsMax: number;
  /** The average number of processes that waited for a processor in the last minute. */
  readonly machineLoad: number;
  readonly warnings: number;
  /** Everything that was lost, doubled, left open, or died. */
  readonly problems: readonly string[];
}

const COMMAND_GAP_MS = 500;
const JOBS_MS_MAX = 120_000;
const LOOK_MS = 500;
const LINKS_MS = 3_600_000;
/** Far more than the system buffers for a reader that reads nothing. */
const HELD_RESULT_BYTES = 64 * 2 ** 20;

/** Returns whether a message is the refusal that is sent before there is a job. */
function isRefusal({ text }: MessageView): boolean {
  return text.includes('There is more work waiting than can be done soon.');
}

interface Club {
  readonly members: readonly SandboxMember[];
  readonly channel: SandboxChannel;
}

/** Runs the program for honest members while all attacks run at the same time. */
export async function playHostile(options: HostileOptions): Promise<HostileFigures> {
  const clubs: Club[] = [];
  await using place = await HostilePlace.open((sandbox) => {
    for (const [name, size] of [
      ['Film club', 1],
      ['Bad club', Math.max(1, options.worstEach)],
    ] as const) {
      const guild = sandbox.addGuild(name);
      const members = Array.from({ length: size }, (_none, index) => guild.addMember(`${name} ${index}`));
      clubs.push({ members, channel: guild.addTextChannel('general') });
    }
  });
  const [club, badClub] = clubs as [Club, Club];
  const first = [await swap(club), await swap(club)];
  const [held, read] = await keptResults(place);
  await using attacker = await Attacker.open();
  const { url } = place;
  const callers = new HonestCallers({ url, secret: place.media.signingSecret, paths: [...HEALTH, read] });
  const over = new AbortController();
  const { signal } = over;
  const honest = callers.askUntil(signal);
  const memory = watchProcess(place.program.pid, signal);
  const uses: UseOfBot[] = [];
  const file = await fileOf(url, '/live/');
  for (const { name: _name, ...attack } of [...WEB_ATTACKS, slowReaders(held), unreadFiles(file)]) {
    await attacker.hold({ url, count: options.sockets, ...attack });
  }
  const storm = attacker.storm({
    url,
    seconds: options.seconds,
    connections: 64,
    perSecondMax: options.forgedPerSecond,
  });
  const worst = options.worstEach > 0 ? sendWorst(badClub) : Promise.resolve([]);
  const untilMs = performance.now() + options.seconds * 1_000;
  while (performance.now() < untilMs && place.program.isAlive) {
    uses.push(await swap(club));
    await wait(COMMAND_GAP_MS);
  }
  const honestCommands = first.length + uses.length;
  uses.push(...(await worst));
  const settled = await allSettled(place);
  const machineLoad = Math.round(loadavg()[0] ?? 0);
  over.abort();
  await honest;
  const tookMs = uses.map((use) => use.acknowledgedAfterMs ?? Number.POSITIVE_INFINITY);
  const deliveriesKept = await countKept(place);
  const problems = place.program.isAlive
    ? await bookProblems({
        dataDir: place.dataDir,
        media: place.media,
        messages: [...club.channel.messages, ...badClub.channel.messages].filter(
          (message) => !isRefusal(message),
        ),
      })
    : ['The program died'];
  place.sandbox.takeViolations();
  return {
    commands: first.length + uses.length,
    acknowledgedP99Ms: Math.round(quantile(tookMs, 0.99)),
    acknowledgedMaxMs: Math.round(Math.max(...tookMs)),
    storm: await storm,
    honest: callers.figures(),
    deliveriesSent: callers.deliveries,
    deliveriesKept,
    honestCommands,
    honestAccepted: honestCommands - club.channel.messages.filter(isRefusal).length,
    refused: badClub.channel.messages.filter(isRefusal).length,
    ...(await jobFigures(place, badClub)),
    ...(await memory),
    machineLoad,
    warnings: place.program.stderr.split('\n').filter((line) => line.includes('"level":"warn"')).length,
    problems: [...settled, ...problems],
  };
}

const [IMAGE, FACE] = await Promise.all([picture(10, 64), picture(200, 64)]);

function swap({ members, channel }: Club): Promise<UseOfBot> {
  const options = { image: { name: 'image.png', bytes: IMAGE }, face: { name: 'face.png', bytes: FACE } };
  return must(members[0]).runs('/photo-swap', { in: channel, options });
}

/** Runs commands with the worst files, so that they enter all lanes together. */
async function sendWorst({ members, channel }: Club): Promise<UseOfBot[]> {
  const [image, video]: readonly WorstFile[] = [await worstPicture(), worstClip()];
  const face = { name: 'face.png', bytes: FACE };
  return Promise.all(
    members.flatMap((member) => [
      member.runs('/photo-swap', { in: channel, options: { image, face } }),
      member.runs('/video-swap', { in: channel, options: { video, face } }),
    ]),
  );
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

async function jobFigures(
  { db }: HostilePlace,
  badClub: Club,
): Promise<Pick<HostileFigures, 'worst' | 'jobSecondsMax'>> {
  const worst: Record<string, number> = {};
  let mostMs = 0;
  for (const job of await db.kysely.selectFrom('jobs').selectAll().orderBy('capability').execute()) {
    if (job.channel_id !== badClub.channel.id) {
      mostMs = Math.max(mostMs, (job.settled_at_ms ?? Infinity) - job.accepted_at_ms);
      continue;
    }
    const what = `${job.capability}: ${job.outcome} ${job.failure ?? ''}`.trim();
    worst[what] = (worst[what] ?? 0) + 1;
  }
  return { worst, jobSecondsMax: Math.round(mostMs / 1_000) };
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
