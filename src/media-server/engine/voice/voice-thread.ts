import { Worker } from 'node:worker_threads';
import { type Clock, withDeadline } from '../../../base/clock.ts';
import { type VoiceAnswer, type VoiceRequest, voiceAnswerSchema } from './voice-protocol.ts';

type Answer = Exclude<VoiceAnswer, { kind: 'ready' | 'failed' }>;
type Asked = Exclude<VoiceRequest, { kind: 'close' }>;
type WithoutCall<T> = T extends unknown ? Omit<T, 'call'> : never;

const START_TIMEOUT_MS = 30_000;
const ANSWER_TIMEOUT_MS = 10_000;

/**
 * The thread that converts all live streams. It dies if it crashes, is disposed or does not answer for ten
 * seconds; then every call fails and `death` resolves.
 */
export class VoiceThread implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #calls = new Map<number, PromiseWithResolvers<Answer>>();
  readonly #ready = Promise.withResolvers<void>();
  readonly #death = Promise.withResolvers<void>();
  #lastCall = 0;
  #dead: Error | undefined;

  private constructor(url: URL, clock: Clock) {
    this.#clock = clock;
    this.#worker = new Worker(url);
    this.#worker.on('message', (message) => this.#receive(message));
    this.#worker.on('messageerror', () => this.#die('its answer could not be read'));
    this.#worker.on('error', (error) => this.#die(error instanceof Error ? error.message : 'unknown error'));
    this.#worker.on('exit', (code) => this.#die(`exit code ${code}`));
  }

  /** Starts a thread and waits until it is ready. Throws if it cannot start. */
  static async start(url: URL, clock: Clock): Promise<VoiceThread> {
    const thread = new VoiceThread(url, clock);
    try {
      await withDeadline(clock, START_TIMEOUT_MS, () => thread.#ready.promise);
    } catch (error) {
      await thread[Symbol.asyncDispose]();
      throw error;
    }
    thread.#worker.unref();
    return thread;
  }

  /** Resolves once the thread is gone. */
  get death(): Promise<void> {
    return this.#death.promise;
  }

  /** Opens a stream with the given number and returns its latency in samples. */
  async open(stream: number, voiceId: string, sampleRateHz: number): Promise<number> {
    const answer = await this.#ask({ kind: 'open', stream, voiceId, sampleRateHz });
    return expectKind(answer, 'opened').latencyFrames;
  }

  /** Converts a stream's next samples. `pcm` is transferred, so the caller can no longer use it. */
  async convert(stream: number, pcm: Int16Array<ArrayBuffer>): Promise<Int16Array> {
    const answer = await this.#ask({ kind: 'convert', stream, pcm }, [pcm.buffer]);
    return expectKind(answer, 'converted').pcm;
  }

  async preview(voiceId: string): Promise<Uint8Array> {
    return expectKind(await this.#ask({ kind: 'preview', voiceId }), 'previewed').wav;
  }

  close(stream: number): void {
    if (!this.#dead) this.#send({ kind: 'close', stream });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#die('it was stopped');
    await this.#worker.terminate();
  }

  async #ask(request: WithoutCall<Asked>, transfer: readonly ArrayBuffer[] = []): Promise<Answer> {
    if (this.#dead) throw this.#dead;
    const call = ++this.#lastCall;
    const answer = Promise.withResolvers<Answer>();
    this.#calls.set(call, answer);
    const timer = this.#clock.after(ANSWER_TIMEOUT_MS, () => this.#die('it does not answer'));
    // The process stays alive while a caller waits for an answer.
    this.#worker.ref();
    try {
      this.#send({ ...request, call }, transfer);
      return await answer.promise;
    } finally {
      timer.cancel();
      this.#calls.delete(call);
      if (this.#calls.size === 0) this.#worker.unref();
    }
  }

  #send(request: VoiceRequest, transfer: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(request, [...transfer]);
  }

  #receive(message: unknown): void {
    const parsed = voiceAnswerSchema.safeParse(message);
    if (!parsed.success) return this.#die('its answer could not be read');
    const answer = parsed.data;
    if (answer.kind === 'ready') return this.#ready.resolve();
    const call = this.#calls.get(answer.call);
    if (answer.kind === 'failed') call?.reject(new Error(answer.message));
    else call?.resolve(answer);
  }

  #die(reason: string): void {
    if (this.#dead) return;
    this.#dead = new Error(`Cannot convert voices: the thread died, ${reason}`);
    this.#ready.reject(this.#dead);
    for (const call of this.#calls.values()) call.reject(this.#dead);
    this.#death.resolve();
    void this.#worker.terminate();
  }
}

function expectKind<Kind extends Answer['kind']>(
  answer: Answer,
  kind: Kind,
): Extract<Answer, { kind: Kind }> {
  if (!isKind(answer, kind)) throw new TypeError(`Cannot use the answer "${answer.kind}" as "${kind}"`);
  return answer;
}

function isKind<Kind extends Answer['kind']>(
  answer: Answer,
  kind: Kind,
): answer is Extract<Answer, { kind: Kind }> {
  return answer.kind === kind;
}
