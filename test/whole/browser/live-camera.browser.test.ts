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
    const openId = (): Promise<string> =>
      page.evaluate(
        'document.querySelector("video").srcObject?.getVideoTracks()[0].getSettings().deviceId ?? ""',
      );
    await goesLive(page);
    const choice = page.getByRole('combobox', { name: 'Camera' });
    const options = choice.locator('option');
    await expect.poll(() => options.count()).toBe(2);
    const [first, second] = [await openId(), await options.nth(1).getAttribute('value')];
    expect(second).not.toBe(first);
    await choice.selectOption({ index: 1 });
    await expect.poll(openId).toBe(second);
    await page.evaluate('document.querySelector("canvas").getContext("2d").reset()');
    await untilShown(page);

    await expect.poll(() => choice.inputValue()).toBe(second);
    expect(faces.taken).toBe(1);
    expect(errors).toEqual([]);
  });
});
