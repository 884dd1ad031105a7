import { type Clock, sleep } from '../../base/clock.ts';
import { unreachable } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { MicroUsd } from '../../base/money.ts';
import type { CloseReason, LineEnd, VoiceLine, VoiceLineRequest, VoiceLines } from '../../live/ports.ts';
import { MemberLines } from './member-lines.ts';
import type { SpeakerState, VoiceSound } from './desk-ports.ts';
import {
  type Live,
  NONE,
  type ParticipantState,
  dropOpening,
  hear,
  isUnanswered,
  liveWith,
} from './participant-state.ts';
import { GRANTED_TIME_USED, LINE_LOST, LOST_TOO_OFTEN, UNANSWERED, problemOf } from './problems.ts';
import { SWITCH_AHEAD_MS } from './voice-limits.ts';

/** What a participant asks of the session that they are in. */
export interface ParticipantHost {
  /** Whether a paid line may be open just now, whoever is to speak. */
  readonly isOpen: boolean;
  /** Whole minutes that are left, from 1 on. */
  readonly minutesLeft: number;
  /** Whether another line may follow one whose time is used up. */
  readonly isRenewed: boolean;
  /** Something of what members see has changed. */
  changed(): void;
}

export interface ParticipantOptions {
  readonly who: Omit<VoiceLineRequest, 'voiceId' | 'minutes'>;
  readonly voiceId: string | null;
  readonly host: ParticipantHost;
  readonly lines: VoiceLines;
  readonly sound: VoiceSound;
  readonly clock: Clock;
  readonly log: Logger;
  readonly idleMs: number;
  readonly unansweredMs: number;
}

const RETRY_MS_MIN = 2_000;
const RETRY_MS_MAX = 60_000;
const FAILURES_MAX = 5;
/** A line that held that long was not part of a series of failures. */
const STEADY_MS = 30_000;

/** One opted-in member of a session: opens their paid line when they speak, and closes it when it must be. */
export class Participant {
  readonly #options: ParticipantOptions;
  #voiceId: string | null;
  #state: ParticipantState = { kind: 'quiet' };
  #isSilenced = false;
  #failures = 0;
  #connecting: Promise<void> | null = null;
  readonly #lines: MemberLines;

  constructor(options: ParticipantOptions) {
    this.#options = options;
    this.#voiceId = options.voiceId;
    this.#lines = new MemberLines(options);
  }

  get userId(): string {
    return this.#options.who.userId;
  }

  get voiceId(): string | null {
    return this.#voiceId;
  }

  get isLive(): boolean {
    return this.#state.kind === 'live';
  }

  /** Resolves when the line that is being opened is there or refused; null: none was yet. */
  get connecting(): Promise<void> | null {
    return this.#connecting;
  }

  get convertedMs(): number {
    return this.#lines.convertedMs;
  }

  get estimate(): MicroUsd {
    return this.#lines.estimate;
  }

  get state(): SpeakerState {
    const state = this.#state;
    if (this.#isSilenced && state.kind !== 'over') return { kind: 'silenced' };
    switch (state.kind) {
      case 'quiet':
      case 'left':
        return { kind: 'quiet' };
      case 'connecting':
        return { kind: 'connecting' };
      case 'live':
        return {
          kind: 'live',
          untilMs: this.#options.clock.now() + state.line.standing.leftMs,
          problem: state.next.kind === 'failed' ? state.next.problem : null,
        };
      case 'waiting':
      case 'over':
        return state;
      default:
        return unreachable(state);
    }
  }

  /** The member asked for it just now: does not wait for their next word. */
  begin(): void {
    this.#failures = 0;
    if (this.#state.kind === 'over' || this.#state.kind === 'waiting') this.#state = { kind: 'quiet' };
    this.resume();
  }

  /** Members can be heard now, or again: connected at once, so that their first word is not lost. */
  resume(): void {
    if (this.#state.kind !== 'quiet' || !this.#options.host.isOpen) return;
    void this.#connectSound(null);
    this.#open();
  }

  /** The member speaks. */
  heard(): void {
    const state = this.#state;
    if (state.kind === 'live') hear(state, this.#options.clock.monotonic());
    else if (state.kind === 'quiet') this.#open();
    else if (state.kind === 'waiting' && this.#options.clock.now() >= state.againAtMs) this.#open();
  }

  /** Another voice from now on: the line with it takes the place of the one that is open. */
  choose(voiceId: string | null): void {
    const before = this.#voiceId;
    this.#voiceId = voiceId;
    if (this.#state.kind === 'connecting') this.rest('replaced');
    if (this.#state.kind !== 'live') return this.begin();
    if (voiceId !== before) void this.#follow(this.#state, { isForNow: true, before });
  }

  silence(isSilenced: boolean): void {
    if (isSilenced === this.#isSilenced) return;
    this.#isSilenced = isSilenced;
    if (isSilenced) this.rest('moderated');
    this.#options.host.changed();
  }

  /** Closes what is open; it is opened again when the member speaks and the session lets it. */
  rest(reason: CloseReason): void {
    if (this.#end(reason)) this.#become({ kind: 'quiet' });
  }

  /** Ends it for good, at once. */
  leave(reason: CloseReason): void {
    this.#end(reason);
    this.#options.sound.disconnect(this.userId);
    this.#state = { kind: 'left' };
  }

  /** Looks at the times; called several times a second. */
  tick(): void {
    const state = this.#state;
    if (state.kind !== 'live') return;
    const { clock, host, idleMs, unansweredMs } = this.#options;
    const nowMs = clock.monotonic();
    if (nowMs - state.heardAtMs >= idleMs) return this.rest('idle');
    if (isUnanswered(state, nowMs, unansweredMs)) {
      this.#end('unanswered');
      return this.#lost(state, UNANSWERED);
    }
    const { leftMs } = state.line.standing;
    if (state.next.kind === 'ready' && leftMs <= SWITCH_AHEAD_MS) return this.#switch(state, state.next.line);
    const isDue = state.next.kind === 'none' && leftMs <= state.renewAheadMs;
    if (isDue && host.isRenewed) void this.#follow(state, { isForNow: false, before: this.#voiceId });
  }

  /** Closes lines and gives up tries; true when there was one. */
  #end(reason: CloseReason): boolean {
    const state = this.#state;
    if (state.kind === 'connecting') state.opening.abort(new Error('Not wanted any more'));
    if (state.kind === 'live') dropOpening(state);
    this.#lines.closeAll(reason);
    return state.kind === 'connecting' || state.kind === 'live';
  }

  #open(): void {
    if (this.#isSilenced || !this.#options.host.isOpen) return;
    const opening = new AbortController();
    this.#become({ kind: 'connecting', opening });
    this.#connecting = this.#connect(opening);
  }

  async #connect(opening: AbortController): Promise<void> {
    const isWanted = (): boolean => this.#state.kind === 'connecting' && this.#state.opening === opening;
    try {
      const line = await this.#line(opening.signal);
      if (!isWanted()) return this.#lines.close(line, 'stopped');
      this.#goLive(line);
    } catch (error) {
      if (isWanted()) this.#failed(error);
    }
  }

  #line(signal: AbortSignal): Promise<VoiceLine> {
    const wish = { voiceId: this.#voiceId, minutes: this.#options.host.minutesLeft };
    return this.#lines.open(wish, (line, end) => this.#ended(line, end), signal);
  }

  #goLive(line: VoiceLine): void {
    const nowMs = this.#options.clock.monotonic();
    this.#become(liveWith(line, nowMs, nowMs));
    void this.#connectSound(line);
    const end = this.#lines.endOf(line);
    if (end) this.#ended(line, end);
  }

  #failed(error: unknown): void {
    const { problem, isLasting } = problemOf(error);
    this.#options.log.info({ error, userId: this.userId }, 'Cannot open a voice line');
    if (isLasting) this.#finish(problem);
    else this.#wait(problem);
  }

  #wait(problem: string): void {
    this.#failures += 1;
    if (this.#failures >= FAILURES_MAX) return this.#finish(LOST_TOO_OFTEN);
    const delayMs = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** (this.#failures - 1));
    void this.#connectSound(null);
    this.#become({ kind: 'waiting', problem, againAtMs: this.#options.clock.now() + delayMs });
  }

  /** Nothing is tried again, so nothing is listened to. */
  #finish(problem: string): void {
    this.#options.sound.disconnect(this.userId);
    this.#become({ kind: 'over', problem });
  }

  /** A line ended. Those that we closed ourselves are not the current one any more by then. */
  #ended(line: VoiceLine, end: LineEnd): void {
    const state = this.#state;
    if (state.kind !== 'live') return;
    if (state.next.kind === 'ready' && state.next.line === line) state.next = NONE;
    if (state.line !== line) return;
    const { next } = state;
    if (next.kind === 'ready') return this.#switch(state, next.line);
    this.#dropNext(state);
    this.#lines.close(line, 'stopped');
    if (end.kind === 'closed') return this.#become({ kind: 'quiet' });
    if (end.kind === 'granted') {
      return this.#finish(next.kind === 'failed' ? next.problem : GRANTED_TIME_USED);
    }
    this.#lost(state, LINE_LOST);
  }

  #lost({ sinceMs }: Live, problem: string): void {
    if (this.#options.clock.monotonic() - sinceMs >= STEADY_MS) this.#failures = 0;
    this.#wait(problem);
  }

  /** Opens the line that is to follow, for at once or for when the time of this one is used up. */
  async #follow(
    state: Live,
    { isForNow, before }: { readonly isForNow: boolean; readonly before: string | null },
  ): Promise<void> {
    this.#dropNext(state);
    const opening = new AbortController();
    state.next = { kind: 'opening', opening, isForNow };
    const isWanted = (): boolean =>
      this.#state === state && state.next.kind === 'opening' && state.next.opening === opening;
    try {
      const line = await this.#line(opening.signal);
      if (!isWanted()) return this.#lines.close(line, 'replaced');
      if (isForNow) return this.#switch(state, line);
      state.next = { kind: 'ready', line };
    } catch (error) {
      if (!isWanted()) return;
      this.#options.log.info({ error, userId: this.userId }, 'Cannot open the next voice line');
      this.#voiceId = before;
      state.next = { kind: 'failed', problem: problemOf(error).problem };
      this.#options.host.changed();
    }
  }

  /** The next line is connected already, so that no word is lost; the one before goes when it is empty. */
  #switch(state: Live, next: VoiceLine): void {
    state.next = NONE;
    this.#state = liveWith(next, this.#options.clock.monotonic(), state.heardAtMs);
    const emptied = this.#connectSound(next);
    const limit = sleep(this.#options.clock, SWITCH_AHEAD_MS);
    void Promise.race([emptied, limit]).then(() => this.#lines.close(state.line, 'replaced'));
    const end = this.#lines.endOf(next);
    if (end) this.#ended(next, end);
    this.#options.host.changed();
  }

  #dropNext(state: Live): void {
    dropOpening(state);
    if (state.next.kind === 'ready') this.#lines.close(state.next.line, 'replaced');
    state.next = NONE;
  }

  #connectSound(line: VoiceLine | null): Promise<void> {
    return this.#options.sound.connect(this.userId, line).catch((error: unknown) => {
      this.#options.log.error({ error, userId: this.userId }, 'Cannot listen to a member');
    });
  }

  #become(state: ParticipantState): void {
    this.#state = state;
    if (state.kind === 'quiet') void this.#connectSound(null);
    this.#options.host.changed();
  }
}
