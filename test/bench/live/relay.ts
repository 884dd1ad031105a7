import { setTimeout } from 'node:timers/promises';
import { CpuLiveSwap } from '../../../src/media-server/engine/live/cpu-live-swap.ts';
import type { LiveSwapEngine } from '../../../src/media-server/engine/live-swap-engine.ts';
import { asJpeg, clipFrames } from '../../media-server/engine/clip-frames.ts';
import { quantile } from '../quantile.ts';
import { Camera } from './camera.ts';
import { LivePlace } from './live-place.ts';

/**
 * The cost of sending 640 x 360 pictures from a page through Masquerade to the media server and back. Times are in
 * milliseconds.
 */
export interface LiveRelayBench {
  readonly frames: number;
  /** The round trip with an engine that changes nothing: directly to the server, and through a page. */
  readonly directP50Ms: number;
  readonly pageP50Ms: number;
  /** How much longer the round trip through the page takes than the direct one, for the same picture. */
  readonly addedP50Ms: number;
  readonly addedP95Ms: number;
  /** The rate for a camera with 30 pictures a second and the CPU engine: directly, and through a page. */
  readonly directFramesPerSecond: number;
  readonly pageFramesPerSecond: number;
}

const WARM_UP = 30;
const CAMERA_MS = 1000 / 30;
const PAUSE_MS = 20;
const AHEAD_MAX = 3;

/** Returns every picture unchanged. */
const echo: LiveSwapEngine = {
  faces: [{ id: 'nobody', description: 'nobody' }],
  open: () =>
    Promise.resolve({
      swap: (jpeg) => Promise.resolve(jpeg),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
};

/** Measures the time that Masquerade adds, and how many pictures per second return. */
export async function benchLiveRelay(frames: number = 300): Promise<LiveRelayBench> {
  const clip = await clipFrames('talking-man-640x360.mp4', 60);
  const pictures = await Promise.all(clip.map(({ pixels }) => asJpeg(pixels)));
  return { frames, ...(await measureAdded(pictures, frames)), ...(await measureRate(pictures)) };
}

type Added = Pick<LiveRelayBench, 'directP50Ms' | 'pageP50Ms' | 'addedP50Ms' | 'addedP95Ms'>;

async function measureAdded(pictures: readonly Uint8Array[], frames: number): Promise<Added> {
  await using place = await LivePlace.open(echo);
  using direct = await Camera.direct(place.media);
  using page = await Camera.page(await place.link());
  const straight: number[] = [];
  const relayed: number[] = [];
  for (let n = -WARM_UP; n < frames; n++) {
    const picture = pictures[(n + WARM_UP) % pictures.length] ?? new Uint8Array();
    // A page that sends more than 60 pictures a second loses some of them.
    await setTimeout(PAUSE_MS);
    // The first of the two round trips wakes an idle processor, so the order alternates.
    const ways = n % 2 === 0 ? [direct, page] : [page, direct];
    for (const way of ways) {
      const ms = await way.roundTripMs(picture);
      if (n >= 0) (way === page ? relayed : straight).push(ms);
    }
  }
  const added = relayed.map((ms, index) => ms - (straight[index] ?? 0));
  return {
    directP50Ms: quantile(straight, 0.5),
    pageP50Ms: quantile(relayed, 0.5),
    addedP50Ms: quantile(added, 0.5),
    addedP95Ms: quantile(added, 0.95),
  };
}

async function measureRate(
  pictures: readonly Uint8Array[],
): Promise<Pick<LiveRelayBench, 'directFramesPerSecond' | 'pageFramesPerSecond'>> {
  await using engine = new CpuLiveSwap({ places: 2 });
  await using place = await LivePlace.open(engine);
  const direct = await Camera.direct(place.media);
  const directFramesPerSecond = await rateOf(direct, pictures);
  direct[Symbol.dispose]();
  using page = await Camera.page(await place.link());
  return { directFramesPerSecond, pageFramesPerSecond: await rateOf(page, pictures) };
}

/** Simulates a camera that skips a picture while too many are still in transit. */
async function rateOf(camera: Camera, pictures: readonly Uint8Array[]): Promise<number> {
  for (const picture of pictures.slice(0, WARM_UP)) await camera.roundTripMs(picture);
  const startedAt = performance.now();
  const before = camera.returned;
  const count = 150;
  for (let n = 0; n < count; n++) {
    await setTimeout(Math.max(0, startedAt + n * CAMERA_MS - performance.now()));
    if (camera.ahead < AHEAD_MAX) camera.show(pictures[n % pictures.length] ?? new Uint8Array());
  }
  return ((camera.returned - before) / (performance.now() - startedAt)) * 1000;
}
