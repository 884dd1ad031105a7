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

/** The open session at the service. Sends the camera's pictures to it and notices when no picture passes. */
export class SwapLine {
  readonly paid: PaidSession;
  readonly prompt: string | null;
  readonly #options: SwapLineOptions;
  readonly #lane: FrameLane;
  /** When the page last sent a picture, or when the line was opened (monotonic milliseconds). */
  #shownAtMs: number;
  /** When the page sent the first picture since the service last returned one. */
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

  /** Why the line cannot go on: the page sends no pictures, or the service returns none. */
  get problem(): 'silent' | 'lost' | null {
    const { clock, limits } = this.#options;
    const nowMs = clock.monotonic();
    if (nowMs - this.#shownAtMs >= limits.silentMs) return 'silent';
    const isLost = !this.#isAnswered(nowMs) && nowMs - this.#askedAtMs >= limits.unansweredMs;
    return isLost ? 'lost' : null;
  }

  /** The service has returned something since the page asked for it. */
  #isAnswered(nowMs: number): boolean {
    return nowMs - this.paid.standing.quietMs > this.#askedAtMs;
  }
}
