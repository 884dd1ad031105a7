import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { connectChatPage } from '../../../src/program/roles/chat-page.ts';
import type { Community } from '../../helpers/use-community.ts';
import { screenshot, seriousFaults } from './use-browser.ts';
import { type ChatVisitor, PHONE, visitChat } from './use-chat-page.ts';

export const SAMPLES: string = join(import.meta.dirname, '../../samples');

/** Opens the page as Ada. The page is connected to this process's bot and media server, as under `npm start`. */
export async function visitAsAda(
  { sandbox, media, ada }: Pick<Community, 'sandbox' | 'media' | 'ada'>,
  options: BrowserContextOptions = {},
): Promise<ChatVisitor> {
  const connected = connectChatPage(sandbox, media.faults);
  onTestFinished(() => connected[Symbol.dispose]());
  return visitChat(sandbox, {
    storageState: {
      cookies: [],
      origins: [
        {
          origin: new URL(sandbox.chatUrl).origin,
          localStorage: [{ name: 'masquerade-chat:user', value: JSON.stringify(ada.id) }],
        },
      ],
    },
    ...options,
  });
}

/** Runs a command through the control API, from the page and with its session. */
export async function runsFromPage(
  page: Page,
  { guild, ada, general }: Pick<Community, 'guild' | 'ada' | 'general'>,
  [command, options]: readonly [string, Readonly<Record<string, unknown>>],
): Promise<void> {
  const path = `/control/guilds/${guild.id}/members/${ada.id}/runs`;
  const status = await page.evaluate(
    async ([url, body]) => {
      const headers = { 'content-type': 'application/json' };
      return (await fetch(url, { method: 'POST', headers, body })).status;
    },
    [path, JSON.stringify({ command, in: general.id, options })] as const,
  );
  if (status !== 200) throw new Error(`Cannot use ${command}: ${status}`);
}

/**
 * Takes screenshots of the page on a desktop and a phone, light and dark, and returns the serious violations that axe
 * finds. On the phone the button `opens` is pressed first, to show what is beside the channel on a desktop.
 */
export async function lookAt(page: Page, name: string, opens?: string): Promise<readonly string[]> {
  await screenshot(page, `${name}-desk`);
  const faults = await seriousFaults(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await screenshot(page, `${name}-desk-dark`);
  const desk = page.viewportSize() ?? PHONE;
  await page.setViewportSize(PHONE);
  await page.getByRole('button', { name: 'Servers and channels' }).waitFor();
  if (opens !== undefined) {
    await page.getByRole('button', { name: opens, exact: true }).click();
    await page.getByRole('dialog', { name: opens }).waitFor();
  }
  await screenshot(page, `${name}-phone-dark`);
  const darkFaults = await seriousFaults(page);
  await page.emulateMedia({ colorScheme: 'light' });
  await screenshot(page, `${name}-phone`);
  await page.setViewportSize(desk);
  return [...faults, ...darkFaults];
}
