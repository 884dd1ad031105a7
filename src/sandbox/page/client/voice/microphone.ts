import { ENCODER } from './audio-support.ts';
import { PACKET_SAMPLES, RATE_HZ } from './packet-size.ts';
import { writeMicrophone } from './frames.ts';
import { rmsOf } from './rms.ts';
import { SpeechGate } from './speech-gate.ts';
import { WORKLETS } from './worklets.ts';

/** While this many pieces (200 ms) are waiting for the encoder, new pieces are dropped. */
const WAITING_MAX = 10;

interface MicrophonePorts {
  /** Called with each packet in the format of the page's socket. */
  readonly send: (packet: Uint8Array<ArrayBuffer>) => void;
  /** Called every 20 ms with the loudness (root mean square, 0 to 1). */
  readonly levelled: (rms: number) => void;
  /** Called when the microphone is removed or the encoder fails. */
  readonly ended: () => void;
}

/** Sends the sound of the member's microphone as Opus packets while the member speaks. */
export class Microphone implements AsyncDisposable {
  readonly #ports: MicrophonePorts;
  readonly #stream: MediaStream;
  readonly #context: AudioContext;
  readonly #encoder: AudioEncoder;
  readonly #gate = new SpeechGate<EncodedAudioChunk>();
  /** The loudness of the pieces that are waiting for the encoder, oldest first. */
  readonly #levels: number[] = [];
  #samples = 0;
  #isMuted = false;

  private constructor(ports: MicrophonePorts, stream: MediaStream, context: AudioContext) {
    this.#ports = ports;
    this.#stream = stream;
    this.#context = context;
    this.#encoder = new AudioEncoder({ output: (chunk) => this.#encoded(chunk), error: () => ports.ended() });
    this.#encoder.configure(ENCODER);
    const capture = new AudioWorkletNode(context, 'capture', { numberOfOutputs: 0, channelCount: 1 });
    capture.port.addEventListener('message', ({ data }: MessageEvent<Float32Array<ArrayBuffer>>) =>
      this.#take(data),
    );
    capture.port.start();
    context.createMediaStreamSource(stream).connect(capture);
    for (const track of stream.getTracks()) track.addEventListener('ended', () => ports.ended());
  }

  /** Asks the member for the microphone. Throws the `getUserMedia` error if there is none or the member declines. */
  static async open(ports: MicrophonePorts): Promise<Microphone> {
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true },
    });
    const context = new AudioContext({ sampleRate: RATE_HZ, latencyHint: 'interactive' });
    try {
      await context.audioWorklet.addModule(WORKLETS.capture);
      await context.resume();
      return new Microphone(ports, stream, context);
    } catch (error) {
      stopAll(stream);
      await context.close();
      throw error;
    }
  }

  set isMuted(isMuted: boolean) {
    this.#isMuted = isMuted;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    stopAll(this.#stream);
    if (this.#encoder.state !== 'closed') this.#encoder.close();
    if (this.#context.state !== 'closed') await this.#context.close();
  }

  #take(samples: Float32Array<ArrayBuffer>): void {
    // The speech gate also sends the few pieces that precede speech. They must not contain sound that was recorded
    // while the member was muted.
    if (this.#isMuted) samples.fill(0);
    const rms = rmsOf(samples);
    this.#ports.levelled(rms);
    const timestamp = Math.round((this.#samples / RATE_HZ) * 1_000_000);
    this.#samples += PACKET_SAMPLES;
    if (this.#encoder.state !== 'configured' || this.#encoder.encodeQueueSize >= WAITING_MAX) return;
    this.#levels.push(rms);
    const data = new AudioData({
      format: 'f32-planar',
      sampleRate: RATE_HZ,
      numberOfFrames: samples.length,
      numberOfChannels: 1,
      timestamp,
      data: samples,
    });
    this.#encoder.encode(data);
    data.close();
  }

  #encoded(chunk: EncodedAudioChunk): void {
    const passed = this.#gate.pass(chunk, this.#levels.shift() ?? 0);
    if (this.#isMuted) return;
    for (const each of passed) {
      const opus = new Uint8Array(each.byteLength);
      each.copyTo(opus);
      const packet = writeMicrophone(Math.round((each.timestamp * RATE_HZ) / 1_000_000), opus);
      if (packet) this.#ports.send(packet);
    }
  }
}

function stopAll(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
