import { isDeepStrictEqual } from 'node:util';
import { type Clock, sleep } from '../../../../base/clock.ts';
import { unreachable } from '../../../../base/errors.ts';
import type { Logger } from '../../../../base/log.ts';
import type { MicroUsd } from '../../../../base/money.ts';
import { dueEvent } from './due-event.ts';
import { lineProblem } from './line-problem.ts';
import { MemberLines } from './member-lines.ts';
import type { ParticipantHost } from './participant-host.ts';
import {
  type LineRequest,
  type Moment,
  type ParticipantEvent,
  type ParticipantState,
  linesOf,
  next,
  requestOf,
  unheard,
  voiceOf,
} from './participant-state.ts';
import { shownState } from './shown-state.ts';
import { SWITCH_AHEAD_MS } from './voice-limits.ts';
import type { CloseReason, LineEnd } from '../../line-end.ts';
import type { VoiceLine } from '../../voice-line.ts';
import type { ShownState } from './participant-view.ts';
import type { VoiceLineRequest, VoiceLines } from '../../voice-lines.ts';
import type { VoiceSound } from './voice-sound.ts';

interface ParticipantOptions {
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

/**
 * A member who joined a session. Their paid line is opened when they speak. For each event, `next` returns the new
 * state, and `#step` makes the lines and the sound match it.
 */
export class Participant {
  readonly #options: ParticipantOptions;
  readonly #lines: MemberLines;
  #state: ParticipantState;
  #connecting: Promise<void> | null = null;

  constructor(options: ParticipantOptions) {
    this.#options = options;
    this.#state = unheard(options.voiceId);
    this.#lines = new MemberLines({
      ...options,
      listener: {
        opened: (request, line) => this.#opened(request, line),
        refused: (request, error) => this.#refused(request, error),
        ended: (line, end) => this.#ended(line, end),
      },
    });
  }

  get userId(): string {
    return this.#options.who.userId;
  }

  get voiceId(): string | null {
    return voiceOf(this.#state);
  }

  get isLive(): boolean {
    return this.#state.kind === 'live';
  }

  /** Resolves once the last attempt to connect has succeeded or failed; null if there was none. */
  get connecting(): Promise<void> | null {
    return this.#connecting;
  }

  get convertedMs(): number {
    return this.#lines.convertedMs;
  }

  get estimate(): MicroUsd {
    return this.#lines.estimate;
  }

  get state(): ShownState {
    return shownState(this.#state, this.#options.clock.now());
  }

  /**
   * Requests conversion to this voice. A line is opened without waiting for the member to speak; if the voice differs,
   * the new line replaces an open one.
   */
  ask(voiceId: string | null): void {
    this.#step({ kind: 'asked', voiceId, isOpen: this.#options.host.isOpen });
  }

  /**
   * Requests a line at once, so that the first word is not lost. Called when the bot may listen to members, for the
   * first time or again.
   */
  resume(): void {
    if (this.#options.host.isOpen) this.#step({ kind: 'resumed' });
  }

  /** Records that the member is speaking. */
  heard(): void {
    this.#step({ kind: 'heard', isOpen: this.#options.host.isOpen, at: this.#moment() });
  }

  silence(isSilenced: boolean): void {
    this.#step({ kind: 'silenced', isSilenced });
  }

  /** Closes the line. Another line is opened when the member speaks and the session allows it. */
  rest(reason: CloseReason): void {
    this.#step({ kind: 'rested', reason });
  }

  /** Ends the participation at once; it cannot be resumed. */
  leave(reason: CloseReason): void {
    this.#step({ kind: 'left', reason });
  }

  /** Performs the actions that are due. Called several times a second. */
  tick(): void {
    if (this.#state.kind !== 'live') return;
    const { host, idleMs, unansweredMs } = this.#options;
    const bounds = { idleMs, unansweredMs, isRenewed: host.isRenewed };
    const event = dueEvent(this.#state, this.#moment(), bounds);
    if (event) this.#step(event);
  }

  #opened(request: LineRequest, line: VoiceLine): void {
    const at = this.#moment();
    const endsAtMs = at.monotonicMs + line.standing.leftMs;
    const { voiceId } = request;
    this.#step({ kind: 'opened', request, held: { line, voiceId, endsAtMs }, at });
    if (!linesOf(this.#state).includes(line)) this.#lines.close(line, 'stopped');
  }

  #refused(request: LineRequest, error: unknown): void {
    if (requestOf(this.#state) !== request) return;
    this.#options.log.info({ error, userId: this.userId }, 'Cannot open a voice line');
    this.#step({ kind: 'refused', request, ...lineProblem(error), at: this.#moment() });
  }

  #ended(line: VoiceLine, end: LineEnd): void {
    this.#step({ kind: 'ended', line, end, at: this.#moment() });
  }

  #moment(): Moment {
    const { clock } = this.#options;
    return { nowMs: clock.now(), monotonicMs: clock.monotonic() };
  }

  /**
   * The only place that changes the state. It performs the effects of leaving the old state, then those of entering the
   * new one.
   */
  #step(event: ParticipantEvent): void {
    const before = this.#state;
    const after = next(before, event);
    if (after === before) return;
    this.#state = after;
    const replaced = replacedLine(before, after);
    this.#giveUp(before, after, closeReasonOf(event));
    const switched = this.#listen(before, after);
    if (replaced) void this.#closeReplaced(replaced, switched);
    this.#request(before, after);
    const nowMs = this.#options.clock.now();
    if (!isDeepStrictEqual(shownState(before, nowMs), shownState(after, nowMs))) this.#options.host.changed();
  }

  /**
   * Ends everything that only the old state had: its request, and its lines except one that another line is replacing.
   */
  #giveUp(before: ParticipantState, after: ParticipantState, reason: CloseReason): void {
    const request = requestOf(before);
    if (request && request !== requestOf(after)) this.#lines.giveUp(request);
    if (after.kind !== 'live') return this.#lines.closeAll(reason);
    const kept = [...linesOf(after), replacedLine(before, after)];
    for (const line of linesOf(before)) if (!kept.includes(line)) this.#lines.close(line, reason);
  }

  /** Resolves once the last audio from the previous line has arrived. */
  async #listen(before: ParticipantState, after: ParticipantState): Promise<void> {
    const { sound, log } = this.#options;
    const line = soundOf(after);
    if (line === soundOf(before)) return;
    if (line === undefined) return sound.disconnect(this.userId);
    await sound.connect(this.userId, line).catch((error: unknown) => {
      log.error({ error, userId: this.userId }, 'Cannot listen to a member');
    });
  }

  /**
   * Closes a replaced line once it has delivered all of its speech. New speech already goes to the new line, so no word
   * is lost.
   */
  async #closeReplaced(line: VoiceLine, emptied: Promise<void>): Promise<void> {
    await Promise.race([emptied, sleep(this.#options.clock, SWITCH_AHEAD_MS)]);
    this.#lines.close(line, 'replaced');
  }

  #request(before: ParticipantState, after: ParticipantState): void {
    const request = requestOf(after);
    if (!request || request === requestOf(before)) return;
    const opening = this.#lines.open(request, this.#options.host.minutesLeft);
    if (after.kind === 'connecting') this.#connecting = opening;
  }
}

/** Returns the line that another line has replaced; null if there is none. */
function replacedLine(before: ParticipantState, after: ParticipantState): VoiceLine | null {
  if (before.kind !== 'live' || after.kind !== 'live') return null;
  return before.held.line === after.held.line ? null : before.held.line;
}

/**
 * Returns the line for the member's speech; null if the bot only detects whether the member speaks, and `undefined` if
 * it does not listen at all.
 */
function soundOf(state: ParticipantState): VoiceLine | null | undefined {
  switch (state.kind) {
    case 'live':
      return state.held.line;
    case 'quiet':
    case 'connecting':
    case 'waiting':
      return null;
    case 'unheard':
    case 'over':
    case 'left':
      return undefined;
    default:
      return unreachable(state);
  }
}

/** Returns the reason for which lines are closed after an event. */
function closeReasonOf(event: ParticipantEvent): CloseReason {
  switch (event.kind) {
    case 'rested':
    case 'left':
      return event.reason;
    case 'silenced':
      return 'moderated';
    case 'unanswered':
      return 'unanswered';
    case 'ended':
      return 'stopped';
    case 'asked':
    case 'resumed':
    case 'heard':
    case 'opened':
    case 'refused':
    case 'renewal_due':
    case 'switch_due':
      return 'replaced';
    default:
      return unreachable(event);
  }
}
