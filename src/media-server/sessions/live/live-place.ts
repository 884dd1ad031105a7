import type { LiveStream } from '../../engine/live-swap.ts';
import { RenderError } from '../../engine/render-error.ts';
import type { FrameLimits, Line, Place } from '../place.ts';

/** At most a large 1080p picture, and four times the usual rate of a camera. */
const LIVE_LIMITS: FrameLimits = {
  frameBytesMax: 4 * 2 ** 20,
  framesPerSecondMax: 120,
  unreadBytesMax: 8 * 2 ** 20,
};

/**
 * The frames of a live session: each binary message of the client is one JPEG picture, and each answer is one with
 * the face changed. This is this server's own codec: the API leaves the frames of Live Swap Pro open, so a client of
 * another server must not rely on it. One picture is worked on at a time; of those that come meanwhile the newest
 * wins and the others get no answer, so that what is seen stays live. What is no JPEG ends the session.
 */
export class LivePlace implements Place {
  readonly limits: FrameLimits = LIVE_LIMITS;
  readonly greeting: undefined;
  readonly #stream: LiveStream;
  #newest: Buffer | undefined;
  #working = false;
  #closed = false;

  constructor(stream: LiveStream) {
    this.#stream = stream;
  }

  connect(line: Line): (frame: Buffer) => void {
    return (frame) => {
      this.#newest = frame;
      if (!this.#working) void this.#work(line);
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#newest = undefined;
    await this.#stream[Symbol.asyncDispose]();
  }

  async #work(line: Line): Promise<void> {
    this.#working = true;
    try {
      for (let frame = this.#take(); frame; frame = this.#take()) {
        const swapped = await this.#stream.swap(frame);
        if (!this.#closed) line.send(swapped);
      }
    } catch (error) {
      this.#newest = undefined;
      if (!this.#closed) line.fail(isOfClient(error) ? 'client' : 'server', error);
    } finally {
      this.#working = false;
    }
  }

  #take(): Buffer | undefined {
    const frame = this.#newest;
    this.#newest = undefined;
    return frame;
  }
}

function isOfClient(error: unknown): boolean {
  return (
    error instanceof RenderError && (error.code === 'unsupported_format' || error.code === 'input_too_large')
  );
}
