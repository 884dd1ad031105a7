import type JpegTurbo from '@julusian/jpeg-turbo';
import { optionalModule } from '../optional-module.ts';
import type { Pixels } from '../pixels.ts';
import { RenderError } from '../render-error.ts';
import { jpegSize } from './jpeg-size.ts';

type JpegCodec = typeof JpegTurbo;

/** Larger pictures are refused by their header. */
const FRAME_PIXELS_MAX: number = 1920 * 1080;
const FRAME_BYTES_MAX = 2_000_000;
const JPEG_QUALITY = 80;

/**
 * Reads and writes the JPEGs of a live stream on the calling thread: libjpeg-turbo alone takes a quarter of the time
 * of a picture library around it.
 */
export class LiveFrames {
  readonly #codec: JpegCodec;
  #pixels: Buffer = Buffer.alloc(0);
  #jpeg: Buffer = Buffer.alloc(0);

  private constructor(codec: JpegCodec) {
    this.#codec = codec;
  }

  /** Throws an error that names the package when it is not installed. */
  static async load(): Promise<LiveFrames> {
    const { default: codec } = await optionalModule('@julusian/jpeg-turbo', import('@julusian/jpeg-turbo'));
    return new LiveFrames(codec);
  }

  /**
   * The picture in `jpeg`, which lives until the next one is decoded. Throws `RenderError`: `input_too_large` above
   * 1920 x 1080 pixels or 2 MB, `unsupported_format` for what is no JPEG or is damaged.
   */
  decode(jpeg: Uint8Array): Pixels {
    if (jpeg.length > FRAME_BYTES_MAX) {
      throw tooLarge(`${jpeg.length} bytes, at most ${FRAME_BYTES_MAX}`);
    }
    const size = jpegSize(jpeg);
    if (!size) throw undecodable();
    const { width, height } = size;
    if (width * height > FRAME_PIXELS_MAX) {
      throw tooLarge(`${width} x ${height} pixels, at most 1920 x 1080`);
    }
    const length = width * height * 4;
    if (this.#pixels.length !== length) this.#pixels = Buffer.alloc(length);
    try {
      this.#codec.decompressSync(asBuffer(jpeg), this.#pixels, { format: this.#codec.FORMAT_RGBA });
    } catch (error) {
      throw undecodable(error);
    }
    return { width, height, data: this.#pixels };
  }

  /** As a JPEG for the next moment: quick to write rather than as small as can be. The caller owns it. */
  encode({ width, height, data }: Pixels): Uint8Array {
    const { FORMAT_RGBA: format, SAMP_420: subsampling } = this.#codec;
    const length = this.#codec.bufferSize({ width, height, subsampling });
    if (this.#jpeg.length < length) this.#jpeg = Buffer.alloc(length);
    const options = { format, width, height, subsampling, quality: JPEG_QUALITY };
    return Uint8Array.from(this.#codec.compressSync(asBuffer(data), this.#jpeg, options));
  }
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function tooLarge(what: string): RenderError {
  return new RenderError('input_too_large', `Cannot use the picture: ${what}`);
}

function undecodable(cause?: unknown): RenderError {
  return new RenderError('unsupported_format', 'Cannot use the picture: it is no JPEG that can be decoded', {
    cause,
  });
}
