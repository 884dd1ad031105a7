import { sleep } from '../../../../base/clock.ts';
import type { MicroUsd } from '../../../../base/money.ts';
import { LineRetries } from './line-retries.ts';
import { MemberLines } from './member-lines.ts';
import {
  type Live,
  type ParticipantState,
  hear,
  isUnanswered,
  liveWith,
  shownState,
} from './participant-state.ts';
import { GRANTED_TIME_USED, LINE_LOST, LOST_TOO_OFTEN, UNANSWERED, problemOf } from './problems.ts';
import { Succession } from './succession.ts';
import { SWITCH_AHEAD_MS } from './voice-limits.ts';
import type { CloseReason, LineEnd } from '../../line-end.ts';
import type { VoiceLine } from '../../voice-line.ts';
import type { SpeakerState } from './speaker-view.ts';
import type { ParticipantOptions } from './participant-options.ts';

/** One opted-in member of a session: opens their paid line when they speak, and closes it when it must be. */
export class Participant {
  readonly #options: ParticipantOptions;
  #voiceId: string | null;
  #state: ParticipantState = { kind: 'quiet' };
  #isSilenced = false;
  readonly #retries = new LineRetries();
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
    return shownState(this.#state, this.#isSilenced, this.#options.clock.now());
  }

  /** The member asked for it just now: does not wait for their next word. */
  begin(): void {
    this.#retries.forget();
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
    if (voiceId !== before) void this.#replace(this.#state, before);
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
    if (state.next.line && leftMs <= SWITCH_AHEAD_MS) return this.#switch(state, state.next.line);
    if (host.isRenewed && state.next.isIdle && leftMs <= state.renewAheadMs) void this.#follow(state);
  }

  /** Closes lines and gives up tries; true when there was one. */
  #end(reason: CloseReason): boolean {
    const state = this.#state;
    if (state.kind === 'connecting') state.opening.abort(new Error('Not wanted any more'));
    if (state.kind === 'live') state.next.abandon();
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
    this.#become(liveWith(line, this.#succession(), { sinceMs: nowMs, heardAtMs: nowMs }));
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
    const delayMs = this.#retries.next();
    if (delayMs === null) return this.#finish(LOST_TOO_OFTEN);
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
    if (state.next.line === line) state.next.clear();
    if (state.line !== line) return;
    const { line: next, problem } = state.next;
    if (next) return this.#switch(state, next);
    state.next.drop();
    this.#lines.close(line, 'stopped');
    if (end.kind === 'closed') return this.#become({ kind: 'quiet' });
    if (end.kind === 'granted') return this.#finish(problem ?? GRANTED_TIME_USED);
    this.#lost(state, LINE_LOST);
  }

  #lost({ sinceMs }: Live, problem: string): void {
    this.#retries.lostAfter(this.#options.clock.monotonic() - sinceMs);
    this.#wait(problem);
  }

  /** Opens the line with another voice, and lets it take over at once. */
  async #replace(state: Live, before: string | null): Promise<void> {
    const line = await this.#follow(state);
    if (this.#state !== state) return;
    if (line) this.#switch(state, line);
    else if (state.next.problem !== null) this.#voiceId = before;
  }

  /** Opens the line that is to follow; null when there is none. */
  async #follow({ next }: Live): Promise<VoiceLine | null> {
    try {
      return await next.open((signal) => this.#line(signal));
    } catch (error) {
      this.#options.log.info({ error, userId: this.userId }, 'Cannot open the next voice line');
      this.#options.host.changed();
      return null;
    }
  }

  /** The next line is connected already, so that no word is lost; the one before goes when it is empty. */
  #switch(state: Live, next: VoiceLine): void {
    state.next.clear();
    const { heardAtMs } = state;
    this.#state = liveWith(next, this.#succession(), { sinceMs: this.#options.clock.monotonic(), heardAtMs });
    const emptied = this.#connectSound(next);
    const limit = sleep(this.#options.clock, SWITCH_AHEAD_MS);
    void Promise.race([emptied, limit]).then(() => this.#lines.close(state.line, 'replaced'));
    const end = this.#lines.endOf(next);
    if (end) this.#ended(next, end);
    this.#options.host.changed();
  }

  #succession(): Succession {
    return new Succession((line) => this.#lines.close(line, 'replaced'));
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
