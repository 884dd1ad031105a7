import { setTimeout as wait } from 'node:timers/promises';
import type { Violation } from '../../../src/sandbox/violations.ts';
import { JOBS_CHECKED_MAX, bookProblems } from '../../helpers/exactly-once.ts';
import { seeded } from '../../media-server/kills/seeded.ts';
import type { BotProcess } from '../../helpers/bot-process.ts';
import { killableBot } from './killable-bot.ts';
import { KillPlace } from './kill-place.ts';

export interface ChainOptions {
  readonly kills: number;
  /** The same seed gives the same choices, but the machine decides how the processes interleave. */
  readonly seed: number;
  /** Number of open jobs at the start of each life. */
  readonly inFlight: number;
  readonly onKill?: (kills: number) => void;
}

/** The number of commands by how they ended; each ended in exactly one way. */
export interface ChainResult {
  readonly commands: number;
  readonly delivered: number;
  /** The member was informed why there is no result, and that nothing was charged. */
  readonly explained: number;
  /** The command was abandoned, because the chat did not show that the bot was working. */
  readonly abandoned: number;
  /**
   * Nothing was stored, held or charged, because the bot died before it had read or stored the command.
   * Discord informs the member that the application did not respond: after 3 s, or if "is thinking" was
   * shown, after 15 min.
   */
  readonly unheard: number;
  /** Jobs that were open at a kill, by stage. */
  readonly openAtKill: Readonly<Record<string, number>>;
  /** Everything that was lost, duplicated or left open, and violations of Discord's rules. */
  readonly problems: readonly string[];
}

/** The maximum number of step moments in a life; a job has about twenty. */
const MOMENTS_MAX = 200;
const MOMENT_MS_MAX = 10;
/** The longest time that a life may last, in case a job waits forever. */
const LIFE_MS_MAX = 60_000;
const LOOK_MS = 50;
const STARTING_MS_MAX = 400;
const ACKNOWLEDGING_MS_MAX = 60;
const LAST_LIFE_MS_MAX = 240_000;
/** Slightly fewer commands than the number of jobs that can be checked. */
const COMMANDS_MAX = JOBS_CHECKED_MAX - 20;

/**
 * Kills one bot after the other on the same data, at random moments with jobs in flight, and then checks
 * everything.
 */
export async function playChain(options: ChainOptions): Promise<ChainResult> {
  const random = seeded(options.seed);
  await using place = await KillPlace.open(random);
  await using lives = new Lives(place);
  const openAtKill: Record<string, number> = {};
  for (let kills = 0; kills < options.kills; kills++) {
    await liveAndDie(place, lives, random, options.inFlight);
    for (const { stage } of await place.openJobs()) openAtKill[stage] = (openAtKill[stage] ?? 0) + 1;
    options.onKill?.(kills + 1);
  }
  place.webhooks.target = await (await lives.next()).ready();
  const problems = await lastLife(place);
  return { ...(await count(place)), openAtKill, problems: [...problems, ...(await check(place))] };
}

/** Runs one bot after the other; while one runs, the next one is already loading. */
class Lives implements AsyncDisposable {
  readonly #place: KillPlace;
  #present: BotProcess | undefined;
  #coming: BotProcess;

  constructor(place: KillPlace) {
    this.#place = place;
    this.#coming = this.#load();
  }

  /** Ends the running bot and starts the next one. */
  async next(): Promise<BotProcess> {
    await this.#present?.kill();
    const born = this.#coming;
    this.#present = born;
    this.#coming = this.#load();
    this.#place.webhooks.target = undefined;
    born.begin();
    return born;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#present?.kill();
    await this.#coming.kill();
  }

  #load(): BotProcess {
    const { sandbox, media, dataDir, webhooks } = this.#place;
    return killableBot({ sandbox, media, dataDir, publicUrl: webhooks.origin });
  }
}

/** Kills a bot while it starts, while it acknowledges commands, or at any later time. */
async function liveAndDie(
  place: KillPlace,
  lives: Lives,
  random: (limit: number) => number,
  inFlight: number,
): Promise<void> {
  const bot = await lives.next();
  const way = random(6);
  if (way === 0) {
    await wait(random(STARTING_MS_MAX));
    return bot.kill();
  }
  place.webhooks.target = await bot.ready();
  const wanted = Math.min(inFlight - (await place.openJobs()).length, COMMANDS_MAX - place.uses.length);
  const running: Promise<void>[] = [];
  for (let left = wanted; left > 0; left--) running.push(place.swap());
  // A life is measured in steps rather than in time, so that a busy machine does not get less work done in it.
  const lived =
    way === 1 ? wait(random(ACKNOWLEDGING_MS_MAX)) : liveFor(random(MOMENTS_MAX), { place, bot, running });
  await Promise.all([...running, lived]);
  await wait(random(MOMENT_MS_MAX));
  await bot.kill();
}

/** Waits until the bot has passed `steps` step moments, or the `running` commands need no more work. */
async function liveFor(
  steps: number,
  life: { readonly place: KillPlace; readonly bot: BotProcess; readonly running: readonly Promise<void>[] },
): Promise<void> {
  const { place, bot, running } = life;
  const isOver = new AbortController();
  const stepped = bot
    .stepped(steps, AbortSignal.any([isOver.signal, AbortSignal.timeout(LIFE_MS_MAX)]))
    .catch((error: unknown) => {
      if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    })
    .finally(() => isOver.abort());
  await Promise.race([stepped, Promise.all(running)]);
  do {
    await Promise.race([stepped, wait(LOOK_MS)]);
  } while (!isOver.signal.aborted && (await isBusy(place)));
  isOver.abort();
  await stepped;
}

/** Returns whether a member waits for the acknowledgement of a command, or a job is open. */
async function isBusy(place: KillPlace): Promise<boolean> {
  return place.uses.some(({ state }) => state === 'waiting') || (await place.openJobs()).length > 0;
}

async function lastLife(place: KillPlace): Promise<string[]> {
  const untilMs = performance.now() + LAST_LIFE_MS_MAX;
  while ((await place.openJobs()).length > 0) {
    if (performance.now() > untilMs) return ['A bot that kept running left jobs open'];
    await wait(50);
  }
  return [];
}

async function count(
  place: KillPlace,
): Promise<Pick<ChainResult, 'commands' | 'delivered' | 'explained' | 'abandoned' | 'unheard'>> {
  const jobs = await place.jobs();
  const known = new Set(jobs.map((job) => job.interaction_id));
  const unstored = place.uses.filter((use) => !known.has(use.id));
  const refused = unstored.filter((use) => use.reply !== null).length;
  return {
    commands: place.uses.length,
    delivered: jobs.filter(({ outcome }) => outcome === 'succeeded').length,
    explained: refused + jobs.filter(({ outcome }) => outcome === 'failed').length,
    abandoned: jobs.filter(({ stage }) => stage === 'abandoned').length,
    unheard: unstored.length - refused,
  };
}

async function check(place: KillPlace): Promise<string[]> {
  const { dataDir, media, channel, sandbox } = place;
  const wasUnheard = place.uses.some((use) => use.failed);
  return [
    ...(await bookProblems({ dataDir, media, messages: channel.messages })),
    ...sandbox
      .takeViolations((violation) => !isOfDying(violation) && !(wasUnheard && isOfUnheard(violation)))
      .map((violation) => `Discord: ${JSON.stringify(violation)}`),
  ];
}

/**
 * Returns whether a violation comes from a job whose acknowledgement was lost with a killed bot: the job looks for a
 * message that does not exist, and then posts its own.
 */
function isOfUnheard({ what, detail }: Violation): boolean {
  return what.startsWith('PATCH /webhooks/') && detail.startsWith('10015');
}

/**
 * Returns whether a violation comes from a killed bot, which breaks off its requests and, if it starts every
 * second, fetches its commands too often.
 */
function isOfDying({ kind, what, detail }: Violation): boolean {
  return detail === 'aborted' || (kind === 'rate_limited' && /^GET .*\/commands$/.test(what));
}
