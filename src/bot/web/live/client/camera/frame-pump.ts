import type { FrameRules } from '../../live-wire.ts';
import type { CameraState } from './camera.ts';
import { FrameSource } from './frame-source.ts';

/** A picture that does not arrive within this time is requested again. */
const ASK_AGAIN_MS = 2_000;

/**
 * Sends the camera's pictures over a socket as fast as the server accepts them. A picture is encoded only when it can
 * be sent at once, so that pictures never queue.
 */
export class FramePump implements Disposable {
  readonly #socket: WebSocket;
  readonly #rules: FrameRules;
  readonly #source: FrameSource;
  #unanswered = 0;
  #askedAtMs: number | null = null;

  constructor(camera: Extract<CameraState, { kind: 'on' }>, socket: WebSocket, rules: FrameRules) {
    this.#socket = socket;
    this.#rules = rules;
    this.#source = new FrameSource(camera, rules, (jpeg) => this.#send(jpeg));
    this.pump();
  }

  /** Records that the server has received a picture. */
  answered(): void {
    this.#unanswered = Math.max(0, this.#unanswered - 1);
    this.pump();
  }

  /**
   * Requests a picture if it can be sent. Must be called repeatedly, because no event reports that a socket can send
   * again.
   */
  pump(): void {
    if (!this.#isFree()) return;
    const nowMs = performance.now();
    if (this.#askedAtMs !== null && nowMs - this.#askedAtMs < ASK_AGAIN_MS) return;
    this.#askedAtMs = nowMs;
    this.#source.next();
  }

  [Symbol.dispose](): void {
    this.#source[Symbol.dispose]();
  }

  #isFree(): boolean {
    const { readyState, bufferedAmount } = this.#socket;
    return readyState === WebSocket.OPEN && bufferedAmount === 0 && this.#unanswered < this.#rules.aheadMax;
  }

  #send(jpeg: ArrayBuffer): void {
    this.#askedAtMs = null;
    if (this.#isFree() && jpeg.byteLength <= this.#rules.bytesMax) {
      this.#unanswered += 1;
      this.#socket.send(jpeg);
    }
    this.pump();
  }
}
