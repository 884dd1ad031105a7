import type { Page } from 'playwright-core';
import {
  type LiveCommunity,
  linkIn,
  live,
  useLiveCommunity,
} from '../../bot/sessions/live-swap/use-live-swap.ts';
import type { CommunityOptions } from '../../helpers/use-community.ts';
import { untilShown } from './altered-picture.ts';
import { openPage } from './use-browser.ts';

export interface OpenedLivePage extends LiveCommunity {
  readonly link: string;
  readonly page: Page;
  readonly errors: string[];
}

/** Opens the link of a session that Ada has requested. */
export async function useOpenPage(options: CommunityOptions = {}): Promise<OpenedLivePage> {
  const place = await useLiveCommunity(options);
  const wish = { minutes: 5, prompt: 'an elderly man' };
  const link = linkIn(await live(place.ada, place, 'start', wish));
  const { page, errors } = await openPage();
  await page.goto(link);
  await page.getByRole('heading', { name: 'What will happen' }).waitFor();
  return { ...place, link, page, errors };
}

/** Agrees by keyboard. */
export async function agrees(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: /agree/ }).press('Space');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
}

export async function goesLive(page: Page): Promise<void> {
  await agrees(page);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await untilShown(page);
}

/** Returns the value that the page shows under a name, such as `Time left`. */
export function figure(page: Page, name: string): Promise<string> {
  const term = page.getByRole('term').filter({ hasText: new RegExp(`^${name}$`) });
  return page.locator('dl > div').filter({ has: term }).locator('dd').first().innerText();
}
