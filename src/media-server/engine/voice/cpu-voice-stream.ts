import type { VoiceStream } from '../voice-swap-engine.ts';
import type { VoiceThread } from './voice-thread.ts';

interface CpuVoiceStreamOptions {
  readonly thread: VoiceThread;
  /** The stream's number on the thread. */
  readonly id: number;
  readonly sampleRateHz: number;
  readonly latencyFrames: number;
  /** Called once, when the stream is disposed. */
  readonly giveBack: () => void;
}

/**
 * The length of speech that may wait to be converted. A caller that gets further ahead is sending faster than real
 * time.
 */
const WAITING_SECONDS_MAX = 2;

/** One speaker's stream on the voice thread. */
export class CpuVoiceStream implements VoiceStream {
  readonly latencyFrames: number;
  readonly #options: CpuVoiceStreamOptions;
  #waitingFrames = 0;
  #isOpen = true;

  constructor(options: CpuVoiceStreamOptions) {
    this.#options = options;
    this.latencyFrames = options.latencyFrames;
  }

  /** Also throws if more than two seconds of speech would be waiting; the stream stays usable. */
  async convert(pcm: Int16Array): Promise<Int16Array> {
    const { thread, id, sampleRateHz } = this.#options;
    if (!this.#isOpen) throw new Error('Cannot convert: the stream is closed');
    if (this.#waitingFrames + pcm.length > WAITING_SECONDS_MAX * sampleRateHz) {
      throw new Error(`Cannot convert: more than ${WAITING_SECONDS_MAX} s of speech are waiting`);
    }
    this.#waitingFrames += pcm.length;
    try {
      // The samples are copied, because the caller keeps them and they are often a view into a larger buffer.
      return await thread.convert(id, new Int16Array(pcm));
    } finally {
      this.#waitingFrames -= pcm.length;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#options.giveBack();
  }
}
