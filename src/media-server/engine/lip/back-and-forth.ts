import type { Sharp, SharpInput, SharpOptions } from 'sharp';
import { optionalModule } from '../optional-module.ts';
import { YuvCanvas } from '../codec/yuv-canvas.ts';
import { rgbaToYuv } from '../codec/yuv-convert.ts';
import { type YuvColours, type YuvPicture, yuvSizeBytes } from '../codec/yuv-picture.ts';
import type { TrackedFace } from '../track/face-tracker.ts';

/** A frame of the clip, with the face in it if there is one. */
export interface FacedFrame {
  /** The picture, which is valid until the next frame is requested and may be modified until then. */
  readonly planes: YuvPicture;
  readonly face: TrackedFace | undefined;
  /** The duration in seconds. */
  readonly duration: number;
}

/** Frames for playing backwards are kept compressed, up to this total size: about a minute of a face at 512 x 512. */
const KEPT_BYTES_MAX = 96 * 1024 * 1024;
/** Nearly lossless for a clip that has been compressed before. */
const JPEG_QUALITY = 95;
/** The size in bytes of a face that is kept with its picture: two sets of landmarks. */
const FACE_BYTES = 12_000;

interface BackAndForthOptions {
  /**
   * The length of the clip according to its header, and the wanted total length, in seconds. Both limit the number of
   * frames that must be kept.
   */
  readonly clipSeconds: number;
  readonly wantedSeconds: number;
  /** The largest total size of kept frames. Default 96 MB. */
  readonly keptBytesMax?: number;
}

/**
 * Yields the frames of a clip and then continues backwards and forwards endlessly, so that no jump is
 * visible. If a clip does not fit into `keptBytesMax`, only the part at its end that fits is repeated. Faces
 * are not detected again. Ends at once if the clip has no frame.
 */
export async function* backAndForth(
  clip: AsyncIterable<FacedFrame>,
  { clipSeconds, wantedSeconds, keptBytesMax = KEPT_BYTES_MAX }: BackAndForthOptions,
): AsyncGenerator<FacedFrame> {
  const { default: sharp } = await optionalModule('sharp', import('sharp'));
  const kept = new KeptFrames(sharp, keptBytesMax);
  const keptFrom = 2 * clipSeconds - wantedSeconds - SPARE_SECONDS;
  let seconds = 0;
  for await (const frame of clip) {
    seconds += frame.duration;
    if (seconds > keptFrom) await kept.add(frame);
    yield frame;
  }
  for (const index of mirroredIndices(kept.count)) yield await kept.at(index);
}

/** A margin, because the lengths in headers are not exact. */
const SPARE_SECONDS = 1;

/**
 * Continues 0, 1, ..., count - 1 with count - 2, ..., 1, 0, 1, ... endlessly. Yields nothing if there is no
 * frame.
 */
function* mirroredIndices(count: number): Generator<number> {
  const period = Math.max(1, 2 * count - 2);
  if (count === 0) return;
  for (let n = count; ; n++) {
    const phase = n % period;
    yield phase < count ? phase : period - phase;
  }
}

interface KeptFrame {
  readonly jpeg: Uint8Array;
  readonly colours: YuvColours;
  readonly face: TrackedFace | undefined;
  readonly duration: number;
}

/** The last frames of a clip, compressed. */
class KeptFrames {
  readonly #sharp: (input: SharpInput, options?: SharpOptions) => Sharp;
  readonly #bytesMax: number;
  #canvas: YuvCanvas | undefined;
  #frames: KeptFrame[] = [];
  #bytes = 0;

  constructor(sharp: (input: SharpInput, options?: SharpOptions) => Sharp, bytesMax: number) {
    this.#sharp = sharp;
    this.#bytesMax = bytesMax;
  }

  get count(): number {
    return this.#frames.length;
  }

  async add({ planes, face, duration }: FacedFrame): Promise<void> {
    const { width, height, colours } = planes;
    const canvas = (this.#canvas ??= new YuvCanvas(width, height));
    canvas.show(planes);
    canvas.reveal({ x: 0, y: 0, width, height });
    const jpeg = await this.#sharp(canvas.data, { raw: { width, height, channels: 4 } })
      .removeAlpha()
      .jpeg({ quality: JPEG_QUALITY, chromaSubsampling: '4:2:0' })
      .toBuffer();
    this.#frames.push({ jpeg, colours, face, duration });
    this.#bytes += sizeOf({ jpeg, face });
    let dropped = 0;
    for (const frame of this.#frames.slice(0, -1)) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#bytes -= sizeOf(frame);
      dropped++;
    }
    if (dropped > 0) this.#frames = this.#frames.slice(dropped);
  }

  async at(index: number): Promise<FacedFrame> {
    const frame = this.#frames[index];
    if (!frame) throw new RangeError(`Cannot go back to frame ${index}`);
    const { jpeg, colours, face, duration } = frame;
    const { data, info } = await this.#sharp(jpeg).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    const { width, height } = info;
    const planes = { width, height, colours, data: new Uint8Array(yuvSizeBytes(width, height)) };
    rgbaToYuv({ width, height, data }, { x: 0, y: 0, width, height }, planes);
    return { planes, face, duration };
  }
}

function sizeOf({ jpeg, face }: Pick<KeptFrame, 'jpeg' | 'face'>): number {
  return jpeg.length + (face ? FACE_BYTES : 0);
}
