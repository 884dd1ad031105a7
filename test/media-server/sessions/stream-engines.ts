import sharp from 'sharp';
import { CapacityError } from '../../../src/media-server/engine/capacity-error.ts';
import type {
  LiveFace,
  LiveStream,
  LiveStreamOptions,
  LiveSwapEngine,
} from '../../../src/media-server/engine/live-swap-engine.ts';
import { RenderError } from '../../../src/media-server/engine/render-error.ts';
import type {
  Voice,
  VoiceStream,
  VoiceStreamOptions,
  VoiceSwapEngine,
} from '../../../src/media-server/engine/voice-swap-engine.ts';

/** The controls of both engines below, and the number of streams that are open. */
class Places {
  /** The number of places that are taken and not yet released. */
  taken = 0;
  /** If set, opening a stream throws it. */
  refusal: Error | undefined;
  /** If set, processing a frame throws it. */
  fault: Error | undefined;
  #gate: Promise<void> = Promise.resolve();
  #open: () => void = () => undefined;
  #door: Promise<void> = Promise.resolve();
  #openDoor: () => void = () => undefined;

  /** Makes new streams wait until `openDoor` is called. */
  closeDoor(): void {
    this.#door = new Promise((resolve) => {
      this.#openDoor = resolve;
    });
  }

  openDoor(): void {
    this.#openDoor();
  }

  /** Makes frames wait until `release` is called. */
  pause(): void {
    this.#gate = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  release(): void {
    this.#open();
  }

  protected async take(): Promise<void> {
    await this.#door;
    if (this.refusal) throw this.refusal;
    this.taken += 1;
  }

  protected async pass(): Promise<void> {
    await this.#gate;
    if (this.fault) throw this.fault;
  }
}

/** A small real engine: its voices scale the samples by -1 and by 0.5. */
export class ScalingVoices extends Places implements VoiceSwapEngine {
  readonly voices: readonly Voice[] = [
    { id: 'mirror', name: 'Mirror', description: 'The same, upside down' },
    { id: 'whisper', name: 'Whisper', description: 'Half as loud' },
  ];
  readonly opened: VoiceStreamOptions[] = [];
  readonly previewed: string[] = [];

  async preview(voiceId: string): Promise<Uint8Array> {
    this.previewed.push(voiceId);
    if (this.fault) throw this.fault;
    return Buffer.from(`RIFF of ${voiceId}`);
  }

  async open(options: VoiceStreamOptions): Promise<VoiceStream> {
    await this.take();
    this.opened.push(options);
    const factor = options.voiceId === 'mirror' ? -1 : 0.5;
    const convert = async (pcm: Int16Array): Promise<Int16Array> => {
      await this.pass();
      return pcm.map((sample) => Math.max(-32_768, Math.min(32_767, Math.trunc(sample * factor))));
    };
    return { latencyFrames: 0, convert, [Symbol.asyncDispose]: async () => void (this.taken -= 1) };
  }
}

/** A small real engine: converts pictures to black and white. */
export class GreyFaces extends Places implements LiveSwapEngine {
  readonly faces: readonly LiveFace[] = [
    { id: 'elderly-man', description: 'an elderly man with grey hair' },
    { id: 'young-woman', description: 'a young woman with curly hair' },
  ];
  readonly opened: LiveStreamOptions[] = [];

  async open(options: LiveStreamOptions): Promise<LiveStream> {
    await this.take();
    this.opened.push(options);
    const swap = async (jpeg: Uint8Array): Promise<Uint8Array> => {
      await this.pass();
      try {
        return await sharp(jpeg).greyscale().jpeg().toBuffer();
      } catch (error) {
        throw new RenderError('unsupported_format', 'Cannot decode a frame', { cause: error });
      }
    };
    return { swap, [Symbol.asyncDispose]: async () => void (this.taken -= 1) };
  }
}

export const FULL: CapacityError = new CapacityError('capacity_unavailable', 'Cannot open: no place is free');
export const WARMING: CapacityError = new CapacityError('capacity_warming', 'Cannot open: still starting');
