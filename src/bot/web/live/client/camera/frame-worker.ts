/**
 * Encodes the camera's pictures as JPEGs. This runs in a worker, because browsers slow down scripts of hidden pages.
 */
import type { FromFrameWorker, Size, ToFrameWorker } from './frame-messages.ts';

const QUALITY = 0.8;
/** The shortest interval between two pictures, even for cameras with higher frame rates. */
const PAUSE_MS = 30;

let next: () => Promise<VideoFrame | ImageBitmap | null> = () => Promise.resolve(null);
let size: Size = { width: 1, height: 1 };
let lastAtMs = 0;
let answer: ((picture: ImageBitmap | null) => void) | null = null;
const canvas = new OffscreenCanvas(1, 1);
const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true });

addEventListener('message', ({ data }: MessageEvent<ToFrameWorker>) => {
  switch (data.type) {
    case 'stream': {
      const reader = data.frames.getReader();
      next = async () => (await reader.read()).value ?? null;
      ({ size } = data);
      return;
    }
    case 'asked':
      next = ask;
      ({ size } = data);
      return;
    case 'picture':
      answer?.(data.picture);
      answer = null;
      return;
    case 'next':
      return void make();
    default:
      return data satisfies never;
  }
});

function ask(): Promise<ImageBitmap | null> {
  return new Promise((resolve) => {
    answer = resolve;
    say({ type: 'ask' });
  });
}

async function make(): Promise<void> {
  const waitMs = lastAtMs + PAUSE_MS - performance.now();
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  const picture = await next();
  if (!picture) return;
  lastAtMs = performance.now();
  draw(picture);
  picture.close();
  const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: QUALITY });
  const bytes = await blob.arrayBuffer();
  say({ type: 'jpeg', bytes }, [bytes]);
}

/** Draws the picture in its original proportions, as large as allowed. */
function draw(picture: VideoFrame | ImageBitmap): void {
  const [wide, tall] =
    'displayWidth' in picture
      ? [picture.displayWidth, picture.displayHeight]
      : [picture.width, picture.height];
  const scale = Math.min(1, size.width / wide, size.height / tall);
  const [width, height] = [even(wide * scale), even(tall * scale)];
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  context?.drawImage(picture, 0, 0, width, height);
}

/** Rounds `side` down to an even number, because JPEG stores one colour for two neighbouring pixels. */
function even(side: number): number {
  return Math.max(2, 2 * Math.floor(side / 2));
}

function say(message: FromFrameWorker, transfer: Transferable[] = []): void {
  postMessage(message, { transfer });
}
