import { type Clock, withDeadline } from '../../../../base/clock.ts';
import type { Logger } from '../../../../base/log.ts';
import { type MicroUsd, ZERO, addMicros } from '../../../../base/money.ts';
import { OPEN_MS_MAX } from './voice-limits.ts';
import type { CloseReason, LineEnd } from '../../line-end.ts';
import type { VoiceLine } from '../../voice-line.ts';
import type { VoiceLineRequest, VoiceLines } from '../../voice-lines.ts';

interface MemberLinesOptions {
  readonly who: Omit<VoiceLineRequest, 'voiceId' | 'minutes'>;
  readonly lines: VoiceLines;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The paid lines of one member: opens them within a time, closes them, and knows what all of them came to. */
export class MemberLines {
  readonly #options: MemberLinesOptions;
  /** Opened, and not closed yet. */
  readonly #open = new Set<VoiceLine>();
  readonly #ends = new WeakMap<VoiceLine, LineEnd>();
  #pastMs = 0;
  #pastEstimate: MicroUsd = ZERO;

  constructor(options: MemberLinesOptions) {
    this.#options = options;
  }

  /** Milliseconds that will be billed. */
  get convertedMs(): number {
    return [...this.#open].reduce((sum, { standing }) => sum + standing.meteredMs, this.#pastMs);
  }

  get estimate(): MicroUsd {
    return addMicros(this.#pastEstimate, ...[...this.#open].map(({ standing }) => standing.estimate));
  }

  /** Throws what the service's lines throw, or `DeadlineError`. What comes too late is closed: nobody would use it. */
  async open(
    wish: Pick<VoiceLineRequest, 'voiceId' | 'minutes'>,
    onEnd: (line: VoiceLine, end: LineEnd) => void,
    signal: AbortSignal,
  ): Promise<VoiceLine> {
    const { lines, who, clock } = this.#options;
    let opened: Promise<VoiceLine> | undefined;
    const open = (inTime: AbortSignal): Promise<VoiceLine> => {
      opened = lines.open({ ...who, ...wish }, inTime);
      return opened;
    };
    try {
      const line = await withDeadline(clock, OPEN_MS_MAX, open, signal);
      this.#open.add(line);
      line.onEnd((end) => {
        this.#ends.set(line, end);
        onEnd(line, end);
      });
      return line;
    } catch (error) {
      opened?.then(
        (late) => this.close(late, 'stopped'),
        () => undefined,
      );
      throw error;
    }
  }

  /** How a line ended; undefined: it has not. */
  endOf(line: VoiceLine): LineEnd | undefined {
    return this.#ends.get(line);
  }

  /** At once. Again, or after it ended by itself, is harmless. */
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
