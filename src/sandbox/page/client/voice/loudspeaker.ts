import { RATE_HZ } from './packet-size.ts';
import { type Heard, readHeard } from './frames.ts';
import type { PlayoutPiece } from './playout-worklet.ts';
import { SpeakerDecoder } from './speaker-decoder.ts';
import { WORKLETS } from './worklets.ts';

/** The maximum number of speakers at a time. If there are more, the speaker who was heard longest ago is removed. */
const SPEAKERS_MAX = 32;

interface LoudspeakerPorts {
  /** Calls `hearer` with each packet that arrives over the socket, until the returned function is called. */
  readonly hear: (hearer: (packet: Uint8Array) => void) => () => void;
  /** Called with the loudness (root mean square, 0 to 1) while there is sound. */
  readonly levelled: (rms: number) => void;
}

/** Plays the packets that the member receives. Speakers are distinguished by their SSRC. */
export class Loudspeaker implements AsyncDisposable {
  readonly #context: AudioContext;
  readonly #node: AudioWorkletNode;
  readonly #speakers = new Map<number, SpeakerDecoder>();

  readonly #stopHearing: () => void;

  private constructor(context: AudioContext, { hear, levelled }: LoudspeakerPorts) {
    this.#context = context;
    this.#node = new AudioWorkletNode(context, 'playout', { numberOfInputs: 0, outputChannelCount: [2] });
    this.#node.port.addEventListener('message', ({ data }: MessageEvent<number>) => levelled(data));
    this.#node.port.start();
    this.#node.connect(context.destination);
    this.#stopHearing = hear((packet) => this.#take(packet));
  }

  /**
   * Opens a loudspeaker. Must be called while a press is being handled, because browsers do not let a page play sound
   * without a press.
   */
  static async open(ports: LoudspeakerPorts): Promise<Loudspeaker> {
    const context = new AudioContext({ sampleRate: RATE_HZ, latencyHint: 'interactive' });
    try {
      await context.audioWorklet.addModule(WORKLETS.playout);
      await context.resume();
      return new Loudspeaker(context, ports);
    } catch (error) {
      await context.close();
      throw error;
    }
  }

  /** Drops all the sound that is waiting to be played. */
  silence(): void {
    this.#dropSpeakers();
    this.#node.port.postMessage('clear');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopHearing();
    this.#dropSpeakers();
    this.#node.disconnect();
    if (this.#context.state !== 'closed') await this.#context.close();
  }

  #take(data: Uint8Array): void {
    const packet = readHeard(data);
    if (packet) this.#speaker(packet).take(packet);
  }

  #speaker({ ssrc }: Heard): SpeakerDecoder {
    const speaker =
      this.#speakers.get(ssrc) ??
      new SpeakerDecoder((gap, samples) => {
        const piece: PlayoutPiece = { ssrc, gap, samples };
        this.#node.port.postMessage(piece, [samples.buffer]);
      });
    this.#speakers.delete(ssrc);
    this.#speakers.set(ssrc, speaker);
    const [oldest] = this.#speakers;
    if (oldest && this.#speakers.size > SPEAKERS_MAX) {
      oldest[1][Symbol.dispose]();
      this.#speakers.delete(oldest[0]);
    }
    return speaker;
  }

  #dropSpeakers(): void {
    for (const speaker of this.#speakers.values()) speaker[Symbol.dispose]();
    this.#speakers.clear();
  }
}
