import type { Clock } from '../../../../base/clock.ts';
import type { PaidSession } from '../../paid-session.ts';
import type { FrameTranslator } from '../live-frame-codec.ts';
import { FrameLane } from './frame-lane.ts';
import { type LiveSwapLimits, WAITING_BYTES_MAX } from '../live-swap-limits.ts';
import type { Opened } from '../opening.ts';

interface LiveLineOptions {
  readonly translator: FrameTranslator;
  readonly clock: Clock;
  readonly limits: Pick<LiveSwapLimits, 'silentMs' | 'unansweredMs'>;
}

/** The open session at the service, and the way of the camera's pictures to it. */
export class LiveLine {
  readonly paid: PaidSession;
  readonly prompt: string | null;
  readonly #options: LiveLineOptions;
  readonly #lane: FrameLane;
  /** When the page showed a picture last, or it was opened (monotonic milliseconds). */
  #shownAtMs: number;
  /** And when the first since one came back. */
  #askedAtMs = -Infinity;

  constructor({ paid, prompt }: Opened, options: LiveLineOptions) {
    const { translator, clock } = options;
    this.paid = paid;
    this.prompt = prompt;
    this.#options = options;
    this.#shownAtMs = clock.monotonic();
    this.#lane = new FrameLane((jpeg, onSent) => {
      const message = translator.toService(jpeg);
      return message !== null && paid.send(message, WAITING_BYTES_MAX, onSent);
    });
  }

  show(jpeg: Buffer): void {
    const nowMs = this.#options.clock.monotonic();
    if (this.#isAnswered(nowMs)) this.#askedAtMs = nowMs;
    this.#shownAtMs = nowMs;
    this.#lane.push(jpeg);
  }

  /** Why it must end now: the page shows nothing, or nothing of it comes back. */
  get problem(): 'silent' | 'lost' | null {
    const { clock, limits } = this.#options;
    const nowMs = clock.monotonic();
    if (nowMs - this.#shownAtMs >= limits.silentMs) return 'silent';
    const isLost = !this.#isAnswered(nowMs) && nowMs - this.#askedAtMs >= limits.unansweredMs;
    return isLost ? 'lost' : null;
  }

  /** Something came back since the page asked for it. */
  #isAnswered(nowMs: number): boolean {
    return nowMs - this.paid.standing.quietMs > this.#askedAtMs;
  }
}
