import type { Database } from '../../../db/database.ts';
import type { SandboxChannel } from '../../../src/sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../../src/sandbox/script/sandbox-member.ts';
import type { MessageView } from '../../../src/sandbox/script/message-view.ts';
import type { UseOfBot } from '../../../src/sandbox/script/use-of-bot.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { picture } from '../../media-server/test-engine.ts';
import { type WorstTime, outcomeOf } from './honest-members.ts';
import { type WorstFile, worstClip, worstPicture } from './worst-files.ts';

export interface BadFigures {
  /** The number of commands that did not become jobs. */
  readonly refused: number;
  /** Number of jobs with the worst files, by capability, outcome and reason. */
  readonly worst: Readonly<Record<string, number>>;
  /** The seconds from the acceptance of the first job with a worst file to the end of the last one. */
  readonly worstSeconds: number;
}

const FACE = await picture(200, 64);

/** Members of one guild who use commands with the worst files, all at the same time. */
export class BadMembers {
  readonly #members: readonly SandboxMember[];
  readonly #channel: SandboxChannel;
  #uses: readonly UseOfBot[] = [];

  /** Adds the guild and its members to the sandbox. */
  constructor(sandbox: Sandbox, count: number) {
    const guild = sandbox.addGuild('Bad club');
    this.#members = Array.from({ length: count }, (_none, index) => guild.addMember(`Bad ${index}`));
    this.#channel = guild.addTextChannel('general');
  }

  /** All commands so far. */
  get uses(): readonly UseOfBot[] {
    return this.#uses;
  }

  get messages(): readonly MessageView[] {
    return this.#channel.messages;
  }

  /** Has each member use a command with each of the worst files. */
  async sendWorst(): Promise<void> {
    const [image, video]: readonly WorstFile[] = [await worstPicture(), worstClip()];
    const face = { name: 'face.png', bytes: FACE };
    const channel = this.#channel;
    this.#uses = await Promise.all(
      this.#members.flatMap((member) => [
        member.runs('/photo-swap', { in: channel, options: { image, face } }),
        member.runs('/video-swap', { in: channel, options: { video, face } }),
      ]),
    );
  }

  async figures(db: Database): Promise<BadFigures & { readonly time: WorstTime }> {
    const jobs = await db.kysely
      .selectFrom('jobs')
      .selectAll()
      .where('channel_id', '=', this.#channel.id)
      .orderBy('capability')
      .execute();
    const worst: Record<string, number> = {};
    for (const job of jobs) worst[outcomeOf(job)] = (worst[outcomeOf(job)] ?? 0) + 1;
    const fromMs = Math.min(...jobs.map((job) => job.accepted_at_ms));
    const untilMs = Math.max(...jobs.map((job) => job.settled_at_ms ?? Infinity));
    return {
      refused: this.#uses.length - jobs.length,
      worst,
      worstSeconds: jobs.length === 0 ? 0 : Math.round((untilMs - fromMs) / 1_000),
      time: { fromMs, untilMs },
    };
  }
}
