import sharp, { type Sharp } from 'sharp';
import type { PhotoSwapEngine, PhotoSwapRequest } from '../../src/media-server/engine/photo-swap-engine.ts';
import type { RenderedImage } from '../../src/media-server/engine/rendered.ts';
import { RenderError } from '../../src/media-server/engine/render-error.ts';

/** A small real engine: draws the face picture, shrunk, over the middle of the base picture. */
export class TestEngine implements PhotoSwapEngine {
  /** For each render that has started, the path of its base picture. */
  readonly begun: string[] = [];
  #gate: Promise<void> = Promise.resolve();
  #open: () => void = () => undefined;

  /** Makes renders wait until `release` is called. */
  pause(): void {
    this.#gate = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  release(): void {
    this.#open();
  }

  async swapPhoto(request: PhotoSwapRequest, signal: AbortSignal): Promise<RenderedImage> {
    this.begun.push(request.imagePath);
    await Promise.race([this.#gate, aborted(signal)]);
    const base = await decode(request.imagePath);
    const size = Math.max(1, Math.floor(Math.min(base.width, base.height) / 2));
    const face = await (await decode(request.facePath)).image.resize(size, size).png().toBuffer();
    signal.throwIfAborted();
    const { width, height } = await base.image
      .composite([{ input: face, gravity: 'centre' }])
      .jpeg()
      .toFile(request.outputPath);
    return { width, height, mime: 'image/jpeg' };
  }
}

async function decode(path: string): Promise<{ image: Sharp; width: number; height: number }> {
  const image = sharp(path);
  try {
    const { width, height } = await image.metadata();
    return { image, width, height };
  } catch (error) {
    throw new RenderError('unsupported_format', 'Cannot decode an input', { cause: error });
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Creates a plain picture of the given colour as PNG bytes. */
export async function picture(red: number, sizePixels: number = 32): Promise<Buffer> {
  return await sharp({
    create: { width: sizePixels, height: sizePixels, channels: 3, background: { r: red, g: 80, b: 120 } },
  })
    .png()
    .toBuffer();
}
