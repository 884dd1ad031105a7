import type { Locator } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { ACKNOWLEDGE_MS_MAX } from '../../../src/sandbox/chat/interaction.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { useSandbox } from '../../helpers/use-sandbox.ts';
import { closeBrowser, hasBrowser, screenshot, seriousFaults } from './use-browser.ts';
import { PHONE, samplesPage, visitChat } from './use-chat-page.ts';

afterAll(closeBrowser);

const MARKED = [
  '# A heading',
  '**bold** *italics* __under__ ~~gone~~ `code` ||a secret||',
  '> quoted',
  '- one',
  '- two',
  '```js\nconst a = "<b>";\n```',
  '[a page](https://example.com/) <t:0:D> <script>alert(1)</script>',
].join('\n');

describe.skipIf(!hasBrowser)('the chat page', () => {
  test('shows servers, channels, members and all messages', async () => {
    const sandbox = await useSandbox();
    const { filmClub } = sandbox.seed();
    const { ben, chidi } = filmClub.members;
    await ben.says('Hello from Ben', { in: filmClub.channels.general });
    const visitor = await visitChat(sandbox);
    const { page } = visitor;

    await page.getByText('Hello from Ben').waitFor();
    await chidi.says(MARKED, { in: filmClub.channels.general });
    const message = visitor.message('A heading');
    await message.locator('strong', { hasText: 'bold' }).waitFor();
    expect(await message.locator('pre').innerText()).toBe('const a = "<b>";');
    expect(await message.locator('blockquote').innerText()).toBe('quoted');
    expect(await message.locator('li').allInnerTexts()).toEqual(['one', 'two']);
    expect(await message.getByRole('link', { name: 'a page' }).getAttribute('href')).toBe(
      'https://example.com/',
    );
    expect(await message.innerText()).toContain('<script>alert(1)</script>');
    await message.getByRole('button', { name: 'Spoiler: show' }).click();
    await message.getByText('a secret').waitFor();
    await visitor.field.fill('Hello *all*');
    await visitor.field.press('Enter');
    await page.locator('em', { hasText: 'all' }).waitFor();

    await screenshot(page, 'chat-first');
    expect(filmClub.channels.general.messages.at(-1)?.content).toBe('Hello *all*');
    expect(await seriousFaults(page)).toEqual([]);
    expect(visitor.errors).toEqual([]);
  });

  test('keeps its state after a reload: member, place, appearance and typed text', async () => {
    const sandbox = await useSandbox();
    const { nightRadio } = sandbox.seed();
    await nightRadio.members.ben.says('On air', { in: nightRadio.channels.clips });
    const visitor = await visitChat(sandbox);
    const { page } = visitor;
    await visitor.actAs('Chloe');
    await page.locator('.act-as .avatar').getByText('C').waitFor();
    await nightRadio.members.ben.says('Are you coming?', { in: nightRadio.channels.clips });
    await page.getByRole('button', { name: 'Night radio unread' }).click();
    await page.getByRole('button', { name: 'clips unread' }).click();
    await page.getByRole('button', { name: 'clips', exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Look' }).selectOption('Dark');
    await visitor.field.fill('Not sent yet');

    await page.reload();

    await page.getByText('On air').waitFor();
    expect(await visitor.field.inputValue()).toBe('Not sent yet');
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('clips');
    const chosen = page.getByRole('combobox', { name: 'Act as' }).locator('option:checked');
    expect(await chosen.innerText()).toContain('Chloe');
    expect(await page.locator('html').getAttribute('data-scheme')).toBe('dark');
    await screenshot(page, 'chat-dark');
    expect(await seriousFaults(page)).toEqual([]);
  });

  test('shows older messages without moving the visible ones, and otherwise stays at the end', async () => {
    const sandbox = await useSandbox();
    const { filmClub } = sandbox.seed();
    const { general } = filmClub.channels;
    for (let number = 1; number <= 70; number += 1) {
      await filmClub.members.ben.says(`Number ${number}.`, { in: general });
    }
    const visitor = await visitChat(sandbox);
    const { page } = visitor;
    await expect.poll(() => isInView(page.getByText('Number 70.'))).toBe(true);

    const newest = page.getByRole('button', { name: 'To the newest messages' });
    await page.getByRole('region', { name: 'Messages in general' }).press('Home');
    await newest.waitFor();
    await page.getByRole('button', { name: 'Show older messages' }).click();
    await page.getByText('Number 1.').waitFor({ state: 'attached' });
    await expect.poll(() => isInView(page.getByText('Number 21.'))).toBe(true);
    await filmClub.members.ben.says('Number 71.', { in: general });
    await page.getByText('Number 71.').waitFor({ state: 'attached' });
    await expect.poll(() => isInView(page.getByText('Number 21.'))).toBe(true);
    await newest.click();
    await expect.poll(() => isInView(page.getByText('Number 71.'))).toBe(true);
    expect(visitor.errors).toEqual([]);
  });

  test('shows its sides as drawers on a phone', async () => {
    const sandbox = await useSandbox({ page: samplesPage });
    const { filmClub } = sandbox.seed();
    await filmClub.members.ben.says('Hello from Ben', { in: filmClub.channels.clips });
    const visitor = await visitChat(sandbox, { viewport: PHONE, hasTouch: true });
    const { page } = visitor;
    await page.getByRole('button', { name: 'Servers and channels' }).click();
    const drawer = page.getByRole('dialog', { name: 'Servers and channels' });
    await drawer.waitFor();
    await screenshot(page, 'chat-drawer-phone');
    expect(await seriousFaults(page)).toEqual([]);
    await drawer.getByRole('button', { name: 'clips' }).click();
    await drawer.waitFor({ state: 'detached' });
    await page.getByText('Hello from Ben').waitFor();
    await page.getByRole('button', { name: 'Members' }).click();
    await page.getByRole('dialog', { name: 'Members' }).getByText('Chidi').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Samples' }).click();
    await page.getByRole('button', { name: 'Talking woman 512' }).waitFor();
    await screenshot(page, 'chat-samples-phone');
    await page.getByRole('button', { name: 'Portrait man elderly' }).click();
    await page.getByRole('button', { name: 'Send message' }).click();
    await page.getByRole('img', { name: 'portrait-man-elderly.jpg' }).waitFor();
    await screenshot(page, 'chat-phone');
    expect(await seriousFaults(page)).toEqual([]);
    expect(visitor.errors).toEqual([]);
  });

  test('asks for the required values of a command, and says when nobody responds', async () => {
    // Time stands still, so that the notice about waiting stays on the page until the test has seen it.
    const clock = new FakeClock();
    const sandbox = await useSandbox({ clock });
    const untilGivenUp = async (notice: Locator): Promise<void> => {
      await expect
        .poll(async () => {
          await clock.advance(ACKNOWLEDGE_MS_MAX);
          return notice.count();
        })
        .toBe(1);
    };
    sandbox.seed();
    const choices = [
      { name: 'Quietly', value: 'quiet' },
      { name: 'Loudly', value: 'loud' },
    ];
    sandbox.addCommand({
      type: 1,
      name: 'greet',
      description: 'Say hello',
      options: [
        { type: 3, name: 'how', description: 'In which voice', required: true, choices },
        { type: 3, name: 'whom', description: 'Somebody', autocomplete: true },
      ],
    });
    const visitor = await visitChat(sandbox);
    const { page } = visitor;

    const form = await visitor.picks('/greet');
    await form.getByText('how is required').waitFor();
    await form.getByRole('button', { name: 'Choose how' }).press('Enter');
    await page.getByRole('button', { name: 'Quietly' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await form.getByRole('button', { name: 'Loudly' }).waitFor();
    await form.getByRole('button', { name: 'Add whom' }).click();
    await form.getByRole('combobox', { name: 'whom' }).fill('Be');
    await form.getByText('Loading suggestions ...').waitFor();
    await untilGivenUp(form.getByText('Loading suggestions failed'));
    await form.getByRole('button', { name: 'Send' }).click();

    await page.getByText('Sending /greet').waitFor();
    await untilGivenUp(page.getByText('The application did not respond'));
    await screenshot(page, 'chat-no-response');
    await page.getByRole('button', { name: 'Dismiss message' }).click();
    await page.getByText('The application did not respond').waitFor({ state: 'detached' });
    sandbox.takeViolations();
    // The page requests suggestions again if the typing pauses for too long, so the same error may occur repeatedly.
    expect([...new Set(visitor.errors)]).toEqual([expect.stringContaining('400')]);
  });

  test('reconnects when the sandbox is restarted with other members', async () => {
    const first = await useSandbox();
    first.seed();
    const visitor = await visitChat(first);
    const { page } = visitor;
    const port = Number(new URL(first.chatUrl).port);
    await visitor.actAs('Chloe');
    await first[Symbol.asyncDispose]();
    await page.getByText('The connection was lost').waitFor();

    const second = await useSandbox({ port });
    const { filmClub } = second.seed();
    await filmClub.members.ben.says('Are you there?', { in: filmClub.channels.general });

    await page.getByText('Are you there?').waitFor();
    const chosen = page.getByRole('combobox', { name: 'Act as' }).locator('option:checked');
    expect(await chosen.innerText()).toContain('Ada');
  });
});

/** Returns whether an element is visible on the screen. */
async function isInView(element: Locator): Promise<boolean> {
  const box = await element.boundingBox();
  return box !== null && box.y > 48 && box.y < 740;
}
