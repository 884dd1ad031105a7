import { afterAll, describe, expect, test } from 'vitest';
import { useSandbox } from '../use-sandbox.ts';
import { closeBrowser, hasBrowser, openPage, screenshot, seriousFaults } from './use-browser.ts';

afterAll(closeBrowser);

describe.skipIf(!hasBrowser)('the chat page', () => {
  test('shows servers, channels, members and messages, to whom one acts as', async () => {
    const sandbox = await useSandbox();
    const { filmClub } = sandbox.seed();
    await filmClub.members.ben.says('Hello from Ben', { in: filmClub.channels.general });
    const { page, errors } = await openPage();

    await page.goto(sandbox.chatUrl);

    await page.getByText('Hello from Ben').waitFor();
    await filmClub.members.chidi.says('Hello from Chidi', { in: filmClub.channels.general });
    await page.getByText('Hello from Chidi').waitFor();
    await screenshot(page, 'chat-first');
    expect(await seriousFaults(page)).toEqual([]);
    expect(errors).toEqual([]);
  });
});
