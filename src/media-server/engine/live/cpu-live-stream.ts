import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import type { LiveStream } from '../live-swap-engine.ts';
import type { RenderWorker } from '../pool/render-worker.ts';
import { RenderError } from '../render-error.ts';
import type { LiveTask } from './live-task.ts';

/** If a picture takes longer than this, it counts as stuck, and the stream fails. */
const FRAME_TIMEOUT_MS = 5_000;
/** The number of pictures that may wait; further ones are rejected with an error. */
const WAITING_MAX = 8;

/** Processes the pictures of one camera in order, in one worker. */
export class CpuLiveStream implements LiveStream {
  /** Borrowed by the stream until the stream is disposed. */
  readonly worker: RenderWorker;
  readonly #clock: Clock;
  readonly #onEnd: (stream: CpuLiveStream) => Promise<void>;
  readonly #ended = new AbortController();
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #disposed: Promise<void> | undefined;

  /** `onEnd` is called once, when none of this stream's work is running any longer. */
  constructor(worker: RenderWorker, clock: Clock, onEnd: (stream: CpuLiveStream) => Promise<void>) {
    this.worker = worker;
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  async swap(jpeg: Uint8Array): Promise<Uint8Array> {
    if (this.#waiting >= WAITING_MAX) throw refusal('too many pictures are waiting');
    this.#waiting++;
    const task: LiveTask = { kind: 'frame', jpeg, seconds: this.#clock.monotonic() / 1000 };
    const answer = this.#last.then(() => this.#run(task));
    this.#last = answer.catch(() => undefined);
    try {
      return await answer;
    } finally {
      this.#waiting--;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    this.#disposed ??= this.#last.then(() => this.#onEnd(this));
    return this.#disposed;
  }

  async #run(task: LiveTask): Promise<Uint8Array> {
    if (this.#ended.signal.aborted) throw refusal('the stream was closed');
    return answerSchema.parse(await this.worker.run(task, FRAME_TIMEOUT_MS, this.#ended.signal));
  }
}

const answerSchema = z.instanceof(Uint8Array);

function refusal(reason: string): RenderError {
  return new RenderError('processing_failed', `Cannot swap the picture: ${reason}`);
}
