import { setTimeout as wait } from 'node:timers/promises';
import type { SandboxMember } from '../../../src/sandbox/script/sandbox-member.ts';
import type { MessageView } from '../../../src/sandbox/script/message-view.ts';
import { type OpusSpeech, encodeSpeech } from '../../../src/sandbox/voice/speech.ts';
import { CHOICE_PAUSE_MS } from '../../../src/bot/sessions/voice-swap/desk/voice-limits.ts';
import { speechOf } from '../../bench/channel/speech.ts';
import type { BotFigures } from './bot-wire.ts';
import type { SoakPlace } from './soak-place.ts';
import { until } from './until.ts';

export interface CyclesResult {
  readonly cycles: number;
  /** The figures after a tenth of the cycles, and at the end. */
  readonly early: BotFigures;
  readonly late: BotFigures;
  /** The growth per cycle between these two measurements. */
  readonly heapBytesEach: number;
  readonly rssBytesEach: number;
  readonly problems: readonly string[];
}

/** A member must wait before joining again, so several members take turns. */
const MEMBERS = 6;
const PAUSE_MS = CHOICE_PAUSE_MS + 100;
const VOICE_CHOICE = 'voice:deep-narrator';
const FRAMES_SAID = 15;
const PATIENCE_MS = 10_000;
const SETTLE_MS_MAX = 30_000;
const PROBLEMS_MAX = 10;

/**
 * The allowed growth per cycle. Most of the 2 KiB measured after a few hundred cycles is code that the runtime still
 * compiles; discord.js keeps 350 bytes for each use of a command, which it frees within an hour. One leaked listener,
 * buffer or decoder per cycle would exceed the limit.
 */
const HEAP_BYTES_EACH_MAX = 5 * 1024;
/**
 * The total growth that is allowed even after few cycles: at first the runtime compiles code and warms up, which takes
 * about 1 MiB in 50 cycles.
 */
const HEAP_BYTES_ONCE = 2 * 2 ** 20;

export class JoinCycles {
  readonly #place: SoakPlace;
  readonly #members: readonly SandboxMember[];
  readonly #words: OpusSpeech;
  readonly #problems: string[] = [];
  readonly #joinedAtMs = new Map<SandboxMember, number>();

  private constructor(place: SoakPlace, members: readonly SandboxMember[], words: OpusSpeech) {
    this.#place = place;
    this.#members = members;
    this.#words = words;
  }

  /** Creates the cycles' members, each of whom agrees once to have their voice converted. */
  static async open(place: SoakPlace): Promise<JoinCycles> {
    const members = Array.from({ length: MEMBERS }, (_, index) => place.guild.addMember(`Guest ${index}`));
    const { frames } = await encodeSpeech(await speechOf(1));
    const cycles = new JoinCycles(place, members, { frames: frames.slice(0, FRAMES_SAID) });
    for (const member of members) await cycles.#agree(member);
    return cycles;
  }

  /** Plays `count` cycles. `onTenth` receives the bot's figures after each tenth of them. */
  async play(count: number, onTenth: (done: number, figures: BotFigures) => void): Promise<CyclesResult> {
    const tenth = Math.max(1, Math.round(count / 10));
    let early: BotFigures | undefined;
    for (let done = 1; done <= count && this.#problems.length < PROBLEMS_MAX; done++) {
      await this.#cycle(this.#members[done % MEMBERS] as SandboxMember, done);
      if (done % tenth !== 0) continue;
      const figures = await this.#atRest(early);
      early ??= figures;
      onTenth(done, figures);
    }
    early ??= await this.#atRest();
    const late = await this.#atRest(early);
    const between = Math.max(1, count - tenth);
    const grown = late.heapBytes - early.heapBytes;
    if (grown > Math.max(HEAP_BYTES_ONCE, between * HEAP_BYTES_EACH_MAX)) {
      this.#problems.push(`The bot's heap grew by ${Math.round(grown / 1024)} KiB in ${between} cycles`);
    }
    for (const name of moreOf(late, early)) this.#problems.push(`${name}: keeps growing in the bot`);
    return {
      cycles: count,
      early,
      late,
      heapBytesEach: grown / between,
      rssBytesEach: (late.rssBytes - early.rssBytes) / between,
      problems: this.#problems,
    };
  }

  async #agree(member: SandboxMember): Promise<void> {
    const { hall } = this.#place;
    member.voice.joins(hall);
    const asked = await this.#joins(member);
    const use = await member.presses('I agree', { on: asked });
    await use.replyWhere(({ text }) => text.includes('You are in it'), { timeoutMs: PATIENCE_MS });
    this.#joinedAtMs.set(member, performance.now());
    member.voice.leaves();
  }

  /** Has a member join, speak until the converted voice is heard, and leave. */
  async #cycle(member: SandboxMember, number: number): Promise<void> {
    const { hall, listener, botUser } = this.#place;
    hall.voice.forgets();
    member.voice.joins(hall);
    const { text } = await this.#joins(member);
    if (text.includes('You are in it')) {
      await member.voice.speaks(this.#words);
      const isHeard = await until(() => listener.voice.packetsOf(botUser, hall).length > 0, PATIENCE_MS);
      if (!isHeard) this.#problems.push(`Cycle ${number}: the member was not heard`);
    } else this.#problems.push(`Cycle ${number}: ${text}`);
    member.voice.leaves();
  }

  async #joins(member: SandboxMember): Promise<MessageView> {
    const { general } = this.#place;
    const restMs = (this.#joinedAtMs.get(member) ?? -Infinity) + PAUSE_MS - performance.now();
    if (restMs > 0) await wait(restMs);
    const use = await member.runs('/voice join', { in: general, options: { voice: VOICE_CHOICE } });
    const reply = await use.replied({ timeoutMs: PATIENCE_MS });
    this.#joinedAtMs.set(member, performance.now());
    return reply;
  }

  /**
   * Returns the bot's figures once the guests' sessions are closed and no resources are left that were not there
   * before.
   */
  async #atRest(before?: BotFigures): Promise<BotFigures> {
    const { bot } = this.#place;
    let figures = await bot.measure();
    await until(async () => {
      if ((await this.#place.openSessions()) > 0) return false;
      figures = await bot.measure();
      return before === undefined || moreOf(figures, before).length === 0;
    }, SETTLE_MS_MAX);
    return figures;
  }
}

function moreOf(late: BotFigures, early: BotFigures): readonly string[] {
  return Object.entries(late.resources).flatMap(([name, count]) => {
    const before = early.resources[name] ?? 0;
    return count > before ? [`${name} (${before}, then ${count})`] : [];
  });
}
