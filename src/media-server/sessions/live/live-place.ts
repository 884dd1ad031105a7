import type { LiveStream } from '../../engine/live-swap-engine.ts';
import { RenderError } from '../../engine/render-error.ts';
import type { FrameLimits, Line, Place } from '../place.ts';

/** These limits allow a large 1080p picture and four times the usual frame rate of a camera. */
const LIVE_LIMITS: FrameLimits = {
  frameBytesMax: 4 * 2 ** 20,
  framesPerSecondMax: 120,
  unreadBytesMax: 8 * 2 ** 20,
};

/**
 * Converts the frames of a live session. Each binary message from the client is one JPEG picture, and each answer is
 * that picture with the face replaced. This format is specific to this server: the API does not define the frames of
 * Live Swap Pro, so a client of another server must not rely on it. One picture is processed at a time; of those that
 * arrive meanwhile, only the newest is kept and the others get no answer, so that the delay stays short. A message that
 * is not a JPEG ends the session.
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
      if (!this.#closed) line.fail(isClientFault(error) ? 'client' : 'server', error);
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

function isClientFault(error: unknown): boolean {
  return (
    error instanceof RenderError && (error.code === 'unsupported_format' || error.code === 'input_too_large')
  );
}
