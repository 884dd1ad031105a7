import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { untilShown } from './altered-picture.ts';
import { closeBrowser, hasBrowser, startBrowser } from './use-browser.ts';
import { goesLive, useOpenPage } from './use-live-page.ts';

beforeAll(async () => {
  if (hasBrowser) await startBrowser(['--use-fake-device-for-media-stream=device-count=2']);
});
afterAll(closeBrowser);

describe.skipIf(!hasBrowser)('the page of a live swap with two cameras', () => {
  test('lets its member choose the other camera, also during the session', async () => {
    const { page, faces, errors } = await useOpenPage();
    const cameraId = 'document.querySelector("video").srcObject.getVideoTracks()[0].getSettings().deviceId';
    await goesLive(page);
    const first = await page.evaluate(cameraId);
    const choice = page.getByRole('combobox', { name: 'Camera' });
    expect(await choice.locator('option').count()).toBe(2);
    await choice.selectOption({ index: 1 });
    await expect
      .poll(() => page.evaluate(`document.querySelector("video").srcObject && ${cameraId}`))
      .not.toBe(first);
    await page.evaluate('document.querySelector("canvas").getContext("2d").reset()');
    await untilShown(page);

    expect(await choice.inputValue()).toBe(await page.evaluate(cameraId));
    expect(faces.taken).toBe(1);
    expect(errors).toEqual([]);
  });
});
