import type { Database } from '../../../db/database.ts';
import type { JobRow } from '../../../db/schema/jobs.ts';
import type { SandboxChannel } from '../../../src/sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../../src/sandbox/script/sandbox-member.ts';
import type { MessageView } from '../../../src/sandbox/script/message-view.ts';
import type { UseOfBot } from '../../../src/sandbox/script/use-of-bot.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { quantile } from '../../bench/quantile.ts';
import { picture } from '../../media-server/test-engine.ts';

/** The time from the first job with one of the worst files to the end of the last one. */
export interface WorstTime {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** When a member used a command. */
type Phase = 'before the worst files' | 'beside the worst files' | 'after the worst files';

export interface PhaseFigures {
  /** Number of commands by the outcome of their job or, where there is no job, by the first line of the answer. */
  readonly answers: Readonly<Record<string, number>>;
  /** How many seconds the jobs took from their acceptance to their end. */
  readonly jobSecondsP50: number;
  readonly jobSecondsMax: number;
}

export interface HonestFigures {
  readonly honestCommands: number;
  /** Number of commands that became jobs. */
  readonly honestAccepted: number;
  readonly honestPhases: Readonly<Partial<Record<Phase, PhaseFigures>>>;
}

interface Club {
  readonly members: readonly SandboxMember[];
  readonly channel: SandboxChannel;
}

/** With this number of guilds, none reaches a limit on open jobs within two minutes, however long a job takes. */
const CLUBS = ['Film club', 'Book club', 'Chess club', 'Choir', 'Garden club', 'Cooking club'] as const;
const MEMBERS_EACH = 2;
const [IMAGE, FACE] = await Promise.all([picture(10, 64), picture(200, 64)]);

/** Members of several guilds who take turns using a command. */
export class HonestMembers {
  readonly #clubs: readonly Club[];
  readonly #uses: UseOfBot[] = [];

  /** Adds the guilds and their members to the sandbox. */
  constructor(sandbox: Sandbox) {
    this.#clubs = CLUBS.map((name) => {
      const guild = sandbox.addGuild(name);
      const members = Array.from({ length: MEMBERS_EACH }, (_none, index) =>
        guild.addMember(`${name} ${index}`),
      );
      return { members, channel: guild.addTextChannel('general') };
    });
  }

  /** All commands so far. */
  get uses(): readonly UseOfBot[] {
    return this.#uses;
  }

  /** Messages in the channels. */
  get messages(): readonly MessageView[] {
    return this.#clubs.flatMap(({ channel }) => channel.messages);
  }

  /** Has the member whose turn it is swap a face. */
  async swap(): Promise<void> {
    const turn = this.#uses.length;
    const club = this.#clubs[turn % this.#clubs.length];
    const member = club?.members[Math.floor(turn / this.#clubs.length) % club.members.length];
    if (!club || !member) throw new TypeError('Cannot play without members');
    const options = { image: { name: 'image.png', bytes: IMAGE }, face: { name: 'face.png', bytes: FACE } };
    this.#uses.push(await member.runs('/photo-swap', { in: club.channel, options }));
  }

  async figures(db: Database, worst: WorstTime): Promise<HonestFigures> {
    const jobs = await db.kysely.selectFrom('jobs').selectAll().execute();
    const byUse = new Map(jobs.map((job) => [job.interaction_id, job]));
    const phases = Object.groupBy(this.#uses, (use) => phaseOf(use, worst));
    const figures = Object.entries(phases).map(([phase, uses]) => [phase, phaseFigures(uses, byUse)]);
    return {
      honestCommands: this.#uses.length,
      honestAccepted: this.#uses.filter((use) => byUse.has(use.id)).length,
      honestPhases: Object.fromEntries(figures),
    };
  }
}

function phaseOf({ interaction }: UseOfBot, { fromMs, untilMs }: WorstTime): Phase {
  if (interaction.createdAtMs < fromMs) return 'before the worst files';
  return interaction.createdAtMs < untilMs ? 'beside the worst files' : 'after the worst files';
}

function phaseFigures(uses: readonly UseOfBot[], byUse: ReadonlyMap<string, JobRow>): PhaseFigures {
  const answers: Record<string, number> = {};
  const tookMs: number[] = [];
  for (const use of uses) {
    const job = byUse.get(use.id);
    const answer = job ? outcomeOf(job) : answerOf(use);
    answers[answer] = (answers[answer] ?? 0) + 1;
    if (job) tookMs.push((job.settled_at_ms ?? Infinity) - job.accepted_at_ms);
  }
  return {
    answers,
    jobSecondsP50: seconds(quantile(tookMs, 0.5)),
    jobSecondsMax: seconds(Math.max(...tookMs)),
  };
}

/** Returns a job's capability and outcome, with the reason if it failed. */
export function outcomeOf({ capability, outcome, stage, failure }: JobRow): string {
  return `${capability}: ${outcome ?? stage} ${failure ?? ''}`.trim();
}

function answerOf({ failed, reply }: UseOfBot): string {
  if (failed) return 'not acknowledged';
  return reply?.text.split('\n').find((line) => line.trim() !== '') ?? 'no answer';
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
