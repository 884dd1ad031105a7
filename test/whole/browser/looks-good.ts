import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { screenshot, seriousFaults } from './use-browser.ts';

const LOOKS = [
  { name: 'desktop-light', colorScheme: 'light', width: 1280, height: 800 },
  { name: 'phone-dark', colorScheme: 'dark', width: 390, height: 844 },
] as const;

/**
 * Takes screenshots of a page on a desktop and on a phone, and expects that nothing is too wide or
 * inaccessible.
 */
export async function looksGood(page: Page, state: string): Promise<void> {
  const before = page.viewportSize();
  for (const { name, colorScheme, width, height } of LOOKS) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height });
    await screenshot(page, `${state}-${name}`, { fullPage: true });
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect(await seriousFaults(page)).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null });
  if (before) await page.setViewportSize(before);
}
