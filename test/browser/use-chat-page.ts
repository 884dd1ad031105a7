import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { connectChatPage } from '../../src/roles/chat-page.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import type { Community } from '../use-community.ts';
import { openPage } from './use-browser.ts';

export const SAMPLES: string = join(import.meta.dirname, '../samples');

/** What the sandbox is given so that its chat page has a gallery. */
export const WITH_SAMPLES: SandboxOptions = { page: { samplesFolder: SAMPLES } };

/** A chat page in the browser, and what its scripts threw or logged as errors. */
export interface OpenedChat {
  readonly page: Page;
  readonly errors: string[];
}

/** The page as Ada sees it, connected to all that is in this process as `npm start` does it. */
export async function openChatAsAda(
  place: Pick<Community, 'sandbox' | 'media' | 'ada'>,
): Promise<OpenedChat> {
  const connected = connectChatPage(place.sandbox, place.media.faults);
  onTestFinished(() => connected[Symbol.dispose]());
  const opened = await openPage();
  await opened.page.goto(place.sandbox.chatUrl);
  await opened.page.getByLabel('Act as').selectOption(place.ada.id);
  return opened;
}

/** Uses a command by the control API, from the page and with its session. */
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
