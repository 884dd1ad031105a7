import { type Clock, withDeadline } from '../../../../base/clock.ts';
import type { Logger } from '../../../../base/log.ts';
import { type MicroUsd, ZERO, addMicros } from '../../../../base/money.ts';
import type { LineRequest } from './participant-state.ts';
import { OPEN_MS_MAX } from './voice-limits.ts';
import type { CloseReason, LineEnd } from '../../line-end.ts';
import type { VoiceLine } from '../../voice-line.ts';
import type { VoiceLineRequest, VoiceLines } from '../../voice-lines.ts';

/**
 * Receives the results of a member's line requests. Each request leads to exactly one call of `opened` or `refused`.
 */
interface LinesListener {
  opened(request: LineRequest, line: VoiceLine): void;
  /** Also called for a request that was abandoned. */
  refused(request: LineRequest, error: unknown): void;
  /** Called when an open line has ended, for any reason. */
  ended(line: VoiceLine, end: LineEnd): void;
}

interface MemberLinesOptions {
  readonly who: Omit<VoiceLineRequest, 'voiceId' | 'minutes'>;
  readonly lines: VoiceLines;
  readonly clock: Clock;
  readonly log: Logger;
  readonly listener: LinesListener;
}

/** The paid lines of one member: opens them within a deadline, closes them, and adds up their cost. */
export class MemberLines {
  readonly #options: MemberLinesOptions;
  readonly #requests = new Map<LineRequest, AbortController>();
  readonly #open = new Set<VoiceLine>();
  #pastMs = 0;
  #pastEstimate: MicroUsd = ZERO;

  constructor(options: MemberLinesOptions) {
    this.#options = options;
  }

  /** The milliseconds that will be billed for all of the member's lines together. */
  get convertedMs(): number {
    return [...this.#open].reduce((sum, { standing }) => sum + standing.meteredMs, this.#pastMs);
  }

  get estimate(): MicroUsd {
    return addMicros(this.#pastEstimate, ...[...this.#open].map(({ standing }) => standing.estimate));
  }

  /** Opens a line. Resolves once the listener has been called. A line that opens too late is closed. */
  async open(request: LineRequest, minutes: number): Promise<void> {
    const { lines, who, clock, listener } = this.#options;
    const { voiceId } = request;
    const abandonment = new AbortController();
    this.#requests.set(request, abandonment);
    let opening: Promise<VoiceLine> | undefined;
    const open = (signal: AbortSignal): Promise<VoiceLine> => {
      opening = lines.open({ ...who, voiceId, minutes }, signal);
      return opening;
    };
    try {
      const line = await withDeadline(clock, OPEN_MS_MAX, open, abandonment.signal);
      this.#open.add(line);
      listener.opened(request, line);
      line.onEnd((end) => listener.ended(line, end));
    } catch (error) {
      opening?.then(
        (late) => this.close(late, 'stopped'),
        () => undefined,
      );
      listener.refused(request, error);
    } finally {
      this.#requests.delete(request);
    }
  }

  /** Abandons a request whose line is no longer needed. */
  giveUp(request: LineRequest): void {
    this.#requests.get(request)?.abort(new Error('The line is no longer needed'));
  }

  /** Closes a line at once. Repeated calls, and calls after the line has ended, do nothing. */
  close(line: VoiceLine, reason: CloseReason): void {
    line
      .close(reason)
      .catch((error: unknown) => {
        const { log, who } = this.#options;
        log.warn({ error, userId: who.userId }, 'Cannot close a voice line cleanly');
      })
      .finally(() => {
        if (!this.#open.delete(line)) return;
        this.#pastMs += line.standing.meteredMs;
        this.#pastEstimate = addMicros(this.#pastEstimate, line.standing.estimate);
      });
  }

  closeAll(reason: CloseReason): void {
    for (const line of this.#open) this.close(line, reason);
  }
}
