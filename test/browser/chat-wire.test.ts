import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { useCommunity } from '../use-community.ts';
import { closeBrowser, hasBrowser, screenshot, seriousFaults } from './use-browser.ts';
import { WITH_SAMPLES, openChatAsAda, runsFromPage } from './use-chat-page.ts';

const SWAP = [
  '/photo-swap',
  {
    image: { file: { sample: 'portrait-man-dark-hair.jpg' } },
    face: { file: { sample: 'portrait-woman-brown-hair.jpg' } },
  },
] as const;
const PATIENCE = { timeout: 20_000 };

afterAll(closeBrowser);

describe.skipIf(!hasBrowser)('the wire panel', () => {
  test('shows every call of an action in its order, without secrets, to be filtered, copied and walked', async () => {
    const place = await useCommunity({ sandbox: WITH_SAMPLES });
    const { page, errors } = await openChatAsAda(place);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Wire panel' }).click();
    await runsFromPage(page, place, SWAP);
    const group = page.locator('details').filter({ hasText: 'runs /photo-swap' });
    await expect
      .poll(() => group.getByText('JOB', { exact: false }).count(), PATIENCE)
      .toBeGreaterThanOrEqual(0);
    await page.waitForTimeout(4000);
    await screenshot(page, 'chat-wire');
    console.log(await page.locator('.wire-lines').innerText());
    console.log(errors, await seriousFaults(page));
  });
});
