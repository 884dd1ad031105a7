import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Face, largestFace } from '../../../src/media-server/engine/face/face.ts';
import { FaceReader } from '../../../src/media-server/engine/face/face-reader.ts';
import { CpuLiveSwap } from '../../../src/media-server/engine/live/cpu-live-swap.ts';
import { faceLikeness } from '../../../src/media-server/engine/cpu/swap-check.ts';
import type { Pixels } from '../../../src/media-server/engine/pixels.ts';
import { quantile } from '../../bench/quantile.ts';
import { clipFrames } from '../../media-server/engine/clip-frames.ts';
import { readPixels, sample as pathOf } from '../../media-server/engine/use-engine.ts';
import { linkIn, live, usageOf, useLiveCommunity } from '../../bot/sessions/live-swap/use-live-swap.ts';
import { TestEngine } from '../../media-server/test-engine.ts';
import { sample } from '../../helpers/use-community.ts';
import { alteredPicture, hasLabel, untilShown } from './altered-picture.ts';
import { useClipAsCamera } from './fake-camera.ts';
import { closeBrowser, hasBrowser, openPage, screenshot } from './use-browser.ts';

const CLIP = 'talking-man-640x360.mp4';
const WORN = 'portrait-woman-curly-hair.jpg';
/**
 * The number of pictures, of which the test uses the one with the median similarity, because a single picture may
 * show an open mouth or the start of the clip.
 */
const PICTURES = 9;

useClipAsCamera(CLIP, 40);

let reader: FaceReader;
beforeAll(async () => {
  reader = await FaceReader.load();
});
afterAll(() => reader[Symbol.asyncDispose]());
afterAll(closeBrowser);

interface Seen {
  readonly pixels: Pixels;
  readonly face: Face;
}

async function faceIn(pixels: Pixels): Promise<Seen> {
  const face = largestFace(await reader.find(pixels));
  assert(face, 'There is no face');
  return { pixels, face };
}

function likeness(a: Seen, b: Seen): number {
  return faceLikeness(a.pixels, a.face, b.pixels, b.face);
}

/** Returns the picture that the page shows now, and those that follow, each different from the one before. */
async function differentPictures(page: Page, count: number): Promise<readonly Pixels[]> {
  const shown = [await alteredPicture(page)];
  while (shown.length < count) {
    const before = shown.at(-1);
    shown.push(
      await vi.waitFor(async () => {
        const picture = await alteredPicture(page);
        assert(before && Buffer.compare(picture.data, before.data) !== 0, 'The picture does not change');
        return picture;
      }),
    );
  }
  return shown;
}

describe.skipIf(!hasBrowser)('a member in front of a camera', () => {
  test('wears the chosen face, and pays for as long as the page is open', async () => {
    const engine = new CpuLiveSwap({ places: 1 });
    onTestFinished(() => engine[Symbol.asyncDispose]());
    const place = await useLiveCommunity({
      media: { engines: { photoSwap: new TestEngine(), liveSwap: engine } },
    });
    const { ada, bot, guild } = place;
    const wish = { minutes: 5, face: await sample(WORN) };
    const { page, errors } = await openPage();
    await page.goto(linkIn(await live(ada, place, 'start', wish)));
    await page.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Agree and open my camera' }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await untilShown(page);
    const rate = page.getByRole('term').filter({ hasText: 'Pictures a second' }).locator('+ dd');
    await expect.poll(async () => Number(await rate.innerText())).toBeGreaterThan(0);
    const shown = await differentPictures(page, PICTURES);
    const description = page.getByRole('term').filter({ hasText: 'Description' }).locator('+ dd');
    const said = await description.innerText();
    await screenshot(page, 'live-face', { fullPage: true });

    const [camera] = await clipFrames(CLIP, 1);
    assert(camera);
    const own = await faceIn(camera.pixels);
    const worn = await faceIn(await readPixels(pathOf(WORN)));
    const seen: Seen[] = [];
    for (const picture of shown) seen.push(await faceIn(picture));
    const inTheMiddle = (of: (now: Seen) => number): number => quantile(seen.map(of), 0.5);
    const [toWorn, toOwn] = [
      inTheMiddle((now) => likeness(now, worn)),
      inTheMiddle((now) => likeness(now, own)),
    ];
    const closedAtMs = performance.now();
    await page.close();
    const [record] = await usageOf(place);
    const settledMs = performance.now() - closedAtMs;
    assert(record);
    const charged = Math.round(record.charged_usd * 1e6);
    expect(toWorn).toBeGreaterThan(0.8);
    expect(toWorn).toBeGreaterThan(toOwn + 0.03);
    expect(toWorn).toBeGreaterThan(likeness(own, worn) + 0.1);
    expect(said).toContain('your picture');
    expect(said).not.toContain('api/');
    expect(shown.every(hasLabel)).toBe(true);
    expect(settledMs).toBeLessThan(2_000);
    expect(charged).toBeGreaterThan(0);
    await expect
      .poll(async () => {
        const { limit, left } = await bot.budget(guild.id);
        return limit - left;
      })
      .toBe(charged);
    expect(errors).toEqual([]);
  });
});
