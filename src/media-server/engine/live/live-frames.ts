import type JpegTurbo from '@julusian/jpeg-turbo';
import { optionalModule } from '../optional-module.ts';
import type { Pixels } from '../pixels.ts';
import { RenderError } from '../render-error.ts';
import { jpegSize } from './jpeg-size.ts';

type JpegCodec = typeof JpegTurbo;

/** The largest number of pixels in an accepted picture, according to its header. */
const FRAME_PIXELS_MAX: number = 1920 * 1080;
const FRAME_BYTES_MAX = 2_000_000;
const JPEG_QUALITY = 80;

/**
 * Reads and writes the JPEGs of a live stream on the calling thread. Calling libjpeg-turbo directly takes a quarter of
 * the time that it takes through a picture library.
 */
export class LiveFrames {
  readonly #codec: JpegCodec;
  #pixels: Buffer = Buffer.alloc(0);
  #jpeg: Buffer = Buffer.alloc(0);

  private constructor(codec: JpegCodec) {
    this.#codec = codec;
  }

  /** Loads the codec. Throws an error that names the package if it is not installed. */
  static async load(): Promise<LiveFrames> {
    const { default: codec } = await optionalModule('@julusian/jpeg-turbo', import('@julusian/jpeg-turbo'));
    return new LiveFrames(codec);
  }

  /**
   * Decodes `jpeg`. The picture is valid until the next call. Throws `RenderError`: `input_too_large` above
   * 1920 x 1080 pixels or 2 MB, `unsupported_format` if it is not a JPEG or is damaged.
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

  /** Encodes a JPEG for immediate display, fast rather than as small as possible. The caller owns it. */
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
  return new RenderError(
    'unsupported_format',
    'Cannot use the picture: it is not a JPEG that can be decoded',
    {
      cause,
    },
  );
}
