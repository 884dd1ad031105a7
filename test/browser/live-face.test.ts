import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Face, largestFace } from '../../src/media-server/engine/face/face.ts';
import { FaceReader } from '../../src/media-server/engine/face/face-reader.ts';
import { CpuLiveSwap } from '../../src/media-server/engine/live/cpu-live-swap.ts';
import { faceLikeness } from '../../src/media-server/engine/photo/swap-check.ts';
import type { Pixels } from '../../src/media-server/engine/pixels.ts';
import { clipFrames } from '../engine/clip-frames.ts';
import { readPixels, sample as pathOf } from '../engine/use-engine.ts';
import { linkIn, live, usageOf, useLiveCommunity } from '../live-swap/use-live-swap.ts';
import { TestEngine } from '../media-server/test-engine.ts';
import { sample } from '../use-community.ts';
import { alteredPicture, hasLabel, untilShown } from './altered.ts';
import { useClipAsCamera } from './fake-camera.ts';
import { hasBrowser, openPage, screenshot } from './use-browser.ts';

const CLIP = 'talking-man-640x360.mp4';
const WORN = 'portrait-woman-curly-hair.jpg';

useClipAsCamera(CLIP, 40);

let reader: FaceReader;
beforeAll(async () => {
  reader = await FaceReader.load();
});
afterAll(() => reader[Symbol.asyncDispose]());

async function faceIn(pixels: Pixels): Promise<{ readonly pixels: Pixels; readonly face: Face }> {
  const face = largestFace(await reader.find(pixels));
  assert(face, 'There is no face');
  return { pixels, face };
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
    const shown = await alteredPicture(page);
    const description = page.getByRole('term').filter({ hasText: 'Description' }).locator('+ dd');
    const said = await description.innerText();
    await screenshot(page, 'live-face', { fullPage: true });

    const [camera] = await clipFrames(CLIP, 1);
    assert(camera);
    const [now, own, worn] = [
      await faceIn(shown),
      await faceIn(camera.pixels),
      await faceIn(await readPixels(pathOf(WORN))),
    ];
    const likeness = (a: typeof now, b: typeof now): number =>
      faceLikeness(a.pixels, a.face, b.pixels, b.face);
    const closedAtMs = performance.now();
    await page.close();
    const [record] = await usageOf(place);
    const settledMs = performance.now() - closedAtMs;
    assert(record);
    const charged = Math.round(record.charged_usd * 1e6);
    expect(likeness(now, worn)).toBeGreaterThan(0.75);
    expect(likeness(now, worn)).toBeGreaterThan(likeness(now, own));
    expect(likeness(now, worn)).toBeGreaterThan(likeness(own, worn) + 0.1);
    expect(said).toContain('your picture');
    expect(said).not.toContain('api/');
    expect(hasLabel(shown)).toBe(true);
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
