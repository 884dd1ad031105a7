import { describe, expect, test } from 'vitest';
import { linkIn, live, useLiveCommunity } from '../live-swap/use-live-swap.ts';
import { useClipAsCamera } from './fake-camera.ts';
import { hasBrowser, openPage, screenshot, seriousFaults } from './use-browser.ts';

useClipAsCamera('talking-man-640x360.mp4', 50);

describe.skipIf(!hasBrowser)('the page of a live swap', () => {
  test('leads from the link to the end', async () => {
    const place = await useLiveCommunity();
    const link = linkIn(await live(place.ada, place, 'start', { minutes: 5, prompt: 'an elderly man' }));
    const { page, errors } = await openPage();
    await page.goto(link);
    await page.getByRole('heading', { name: 'What will happen' }).waitFor().catch(() => console.log(errors));
    await screenshot(page, 'live-1-asking');
    console.log(await seriousFaults(page), errors);
    await page.getByRole('checkbox').check();
    await page.getByRole('button', { name: /Agree/ }).click();
    await page.getByRole('button', { name: 'Start' }).click();
    await screenshot(page, 'live-2-studio');
    await page.getByText('another face').waitFor({ state: 'attached' }).catch(() => console.log(errors));
    await page.getByRole('button', { name: 'Make an address' }).click();
    await new Promise((r) => setTimeout(r, 3000));
    await screenshot(page, 'live-3-live');
    console.log(await page.locator('dl').first().innerText(), await page.locator('.meters').innerText());
    console.log(await seriousFaults(page), errors);
    const url = await page.getByLabel('Address of the output').inputValue();
    const out = await openPage();
    await out.page.goto(url);
    await out.page.getByText('AI-altered media').waitFor({ state: 'attached' });
    await new Promise((r) => setTimeout(r, 500));
    await screenshot(out.page, 'live-4-output');
    console.log(await seriousFaults(out.page), out.errors);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('By the record').waitFor();
    await screenshot(page, 'live-5-ended');
    await screenshot(out.page, 'live-6-output-ended');
    console.log(errors);
    expect(1).toBe(1);
  });
});
