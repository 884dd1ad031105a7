import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { CpuLiveSwap } from '../../../src/media-server/engine/live/cpu-live-swap.ts';
import { closeBrowser, hasBrowser, startBrowser } from '../../whole/browser/use-browser.ts';
import { asJpeg, clipFrames } from '../../media-server/engine/clip-frames.ts';
import { quantile } from '../quantile.ts';
import { LivePlace } from './live-place.ts';
import { NUMBERS, READ_NUMBER, putNumber } from './numbered-pictures.ts';

/**
 * The figures for a member with a 640 x 360 camera at 30 pictures a second. Pictures travel from a page in Chromium
 * through the bot to the media server with the CPU engine, and back, all on this machine.
 */
export interface LiveBrowserBench {
  readonly seconds: number;
  readonly sentPerSecond: number;
  readonly returnedPerSecond: number;
  /** The time from sending a picture from the page until the page has it back with another face, in milliseconds. */
  readonly p50Ms: number;
  readonly p95Ms: number;
}

const WARM_UP_MS = 3_000;
const MEASURED_MS = 8_000;

/**
 * Runs before any script of the page. It records each picture that the page's sockets send and receive, and the time.
 */
const RECORD = `{
  const seen = { isOn: false, sent: [], returned: [] };
  globalThis.seenByBench = seen;
  const note = (list, data) => {
    if (seen.isOn && data instanceof ArrayBuffer) list.push({ atMs: performance.now(), jpeg: data.slice(0) });
  };
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (data) {
    note(seen.sent, data);
    return send.call(this, data);
  };
  const NativeSocket = WebSocket;
  globalThis.WebSocket = class extends NativeSocket {
    constructor(...of) {
      super(...of);
      this.addEventListener('message', ({ data }) => note(seen.returned, data));
    }
  };
}`;
const TELL = `(async () => {
  const numberOf = ${READ_NUMBER};
  const told = async (list) => {
    const all = [];
    for (const { atMs, jpeg } of list) all.push({ atMs, number: await numberOf(jpeg) });
    return all;
  };
  const { sent, returned } = globalThis.seenByBench;
  return { sent: await told(sent), returned: await told(returned) };
})()`;

interface Seen {
  readonly atMs: number;
  readonly number: number;
}

/** Returns `undefined` if Chromium is not installed. */
export async function benchLiveBrowser(): Promise<LiveBrowserBench | undefined> {
  if (!hasBrowser) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  try {
    const camera = join(folder, 'camera.mjpeg');
    await writeFile(camera, await numberedClip());
    await using engine = new CpuLiveSwap({ places: 1 });
    await using place = await LivePlace.open(engine);
    const browser = await startBrowser([`--use-file-for-fake-video-capture=${camera}`]);
    const page = await browser.newPage();
    await goLive(page, await place.link());
    await setTimeout(WARM_UP_MS);
    await page.evaluate('globalThis.seenByBench.isOn = true');
    await setTimeout(MEASURED_MS);
    await page.evaluate('globalThis.seenByBench.isOn = false');
    await page.getByRole('button', { name: 'Stop' }).click();
    return figuresOf(await page.evaluate<{ sent: Seen[]; returned: Seen[] }>(TELL));
  } finally {
    await closeBrowser();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Creates as many pictures as the numbers can distinguish, so that no number is used again before its picture has
 * returned.
 */
async function numberedClip(): Promise<Uint8Array> {
  const clip = await clipFrames('talking-man-640x360.mp4', NUMBERS);
  clip.forEach((frame, number) => putNumber(frame, number));
  return Buffer.concat(await Promise.all(clip.map(({ pixels }) => asJpeg(pixels))));
}

async function goLive(page: Page, link: string): Promise<void> {
  await page.addInitScript(RECORD);
  await page.goto(link);
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Agree and open my camera' }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText(/^AI-altered media: /).waitFor({ state: 'attached' });
}

function figuresOf({
  sent,
  returned,
}: {
  sent: readonly Seen[];
  returned: readonly Seen[];
}): LiveBrowserBench {
  const tookMs = returned.flatMap(({ number, atMs }) => {
    const from = sent.findLast((one) => one.number === number && one.atMs < atMs);
    return from ? [atMs - from.atMs] : [];
  });
  const seconds = MEASURED_MS / 1000;
  return {
    seconds,
    sentPerSecond: sent.length / seconds,
    returnedPerSecond: returned.length / seconds,
    p50Ms: quantile(tookMs, 0.5),
    p95Ms: quantile(tookMs, 0.95),
  };
}
