import type { Clock } from '../../../../base/clock.ts';
import type { PaidSession } from '../../paid-session.ts';
import type { FrameTranslator } from '../live-frame-codec.ts';
import { FrameLane } from './frame-lane.ts';
import { type LiveSwapLimits, WAITING_BYTES_MAX } from '../live-swap-limits.ts';
import type { Opened } from '../opening.ts';

interface SwapLineOptions {
  readonly translator: FrameTranslator;
  readonly clock: Clock;
  readonly limits: Pick<LiveSwapLimits, 'silentMs' | 'unansweredMs'>;
}

/**
 * The open session at the service. Sends the camera pictures to the service and detects when pictures stop in either
 * direction.
 */
export class SwapLine {
  readonly paid: PaidSession;
  readonly prompt: string | null;
  readonly #options: SwapLineOptions;
  readonly #lane: FrameLane;
  /** When the page last sent a picture, or when the session was opened (monotonic milliseconds). */
  #shownAtMs: number;
  /** When the page sent the oldest picture that the service has not answered. */
  #askedAtMs = -Infinity;

  constructor({ paid, prompt }: Opened, options: SwapLineOptions) {
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

  /** Why the session must end: the page sends no pictures (`silent`), or the service returns none (`lost`). */
  get problem(): 'silent' | 'lost' | null {
    const { clock, limits } = this.#options;
    const nowMs = clock.monotonic();
    if (nowMs - this.#shownAtMs >= limits.silentMs) return 'silent';
    const isLost = !this.#isAnswered(nowMs) && nowMs - this.#askedAtMs >= limits.unansweredMs;
    return isLost ? 'lost' : null;
  }

  /** Returns whether the service has sent a picture since the oldest unanswered camera picture was sent to it. */
  #isAnswered(nowMs: number): boolean {
    return nowMs - this.paid.standing.quietMs > this.#askedAtMs;
  }
}
