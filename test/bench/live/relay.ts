import { setTimeout } from 'node:timers/promises';
import { CpuLiveSwap } from '../../../src/media-server/engine/live/cpu-live-swap.ts';
import type { LiveSwapEngine } from '../../../src/media-server/engine/live-swap-engine.ts';
import { asJpeg, clipFrames } from '../../media-server/engine/clip-frames.ts';
import { quantile } from '../quantile.ts';
import { Camera } from './camera.ts';
import { LivePlace } from './live-place.ts';

/** Pictures of 640 x 360 from a page through Masquerade to the media server and back. Times in milliseconds. */
export interface LiveRelayBench {
  readonly frames: number;
  /** From sending to having it back, with an engine that changes nothing: straight to the server, and by a page. */
  readonly directP50Ms: number;
  readonly pageP50Ms: number;
  /** What the page's way takes longer, each picture beside the same one straight. */
  readonly addedP50Ms: number;
  readonly addedP95Ms: number;
  /** Of a camera with 30 pictures a second, with the processor's engine: straight, and by a page. */
  readonly directFramesPerSecond: number;
  readonly pageFramesPerSecond: number;
}

const WARM_UP = 30;
const CAMERA_MS = 1000 / 30;
const PAUSE_MS = 20;
const AHEAD_MAX = 3;

/** Gives back what it gets. */
const echo: LiveSwapEngine = {
  faces: [{ id: 'nobody', description: 'nobody' }],
  open: () =>
    Promise.resolve({
      swap: (jpeg) => Promise.resolve(jpeg),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }),
};

/** Measures what Masquerade adds, and how many pictures a second come back in all. */
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
    // A page that sends more than 60 a second has some dropped.
    await setTimeout(PAUSE_MS);
    // Whoever is first wakes a processor that rests.
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

/** A camera that leaves a picture out while too many are on their way. */
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
