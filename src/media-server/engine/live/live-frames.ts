import type { Sharp, SharpOptions } from 'sharp';
import { optionalModule } from '../optional-module.ts';
import type { Pixels } from '../pixels.ts';
import { RenderError } from '../render-error.ts';
import { jpegSize } from './jpeg-size.ts';

/** Larger pictures are refused by their header. */
const FRAME_PIXELS_MAX: number = 1920 * 1080;
const FRAME_BYTES_MAX = 2_000_000;
const JPEG_QUALITY = 80;

/** Reads and writes the JPEGs of a live stream, off the calling thread. */
export class LiveFrames {
  readonly #sharp: (input: Uint8Array, options?: SharpOptions) => Sharp;

  private constructor(sharp: (input: Uint8Array, options?: SharpOptions) => Sharp) {
    this.#sharp = sharp;
  }

  /** Throws an error that names the package when sharp is not installed. */
  static async load(): Promise<LiveFrames> {
    const { default: sharp } = await optionalModule('sharp', import('sharp'));
    return new LiveFrames(sharp);
  }

  /**
   * The picture in `jpeg`, sRGB. Throws `RenderError`: `input_too_large` above 1920 x 1080 pixels or 2 MB,
   * `unsupported_format` for what is no JPEG or is damaged.
   */
  async decode(jpeg: Uint8Array): Promise<Pixels> {
    if (jpeg.length > FRAME_BYTES_MAX) {
      throw tooLarge(`${jpeg.length} bytes, at most ${FRAME_BYTES_MAX}`);
    }
    const size = jpegSize(jpeg);
    if (!size) throw undecodable();
    if (size.width * size.height > FRAME_PIXELS_MAX) {
      throw tooLarge(`${size.width} x ${size.height} pixels, at most 1920 x 1080`);
    }
    try {
      const { data, info } = await this.#sharp(jpeg, { failOn: 'error', limitInputPixels: FRAME_PIXELS_MAX })
        .toColourspace('srgb')
        .ensureAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true });
      return { width: info.width, height: info.height, data };
    } catch (error) {
      throw undecodable(error);
    }
  }

  /** As a JPEG for the next moment: quick to write rather than as small as can be. */
  async encode({ width, height, data }: Pixels): Promise<Uint8Array> {
    return await this.#sharp(data, { raw: { width, height, channels: 4 } })
      .removeAlpha()
      .jpeg({ quality: JPEG_QUALITY, chromaSubsampling: '4:2:0', optimiseCoding: false })
      .toBuffer();
  }
}

function tooLarge(what: string): RenderError {
  return new RenderError('input_too_large', `Cannot use the picture: ${what}`);
}

function undecodable(cause?: unknown): RenderError {
  return new RenderError('unsupported_format', 'Cannot use the picture: it is no JPEG that can be decoded', {
    cause,
  });
}
