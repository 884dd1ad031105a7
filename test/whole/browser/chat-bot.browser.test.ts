import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import type { SandboxMember } from '../../../src/sandbox/script/sandbox-member.ts';
import { copyingEngines } from '../conformance/copying-engines.ts';
import { type Community, type CommunityOptions, sample, useCommunity } from '../../helpers/use-community.ts';
import { closeBrowser, hasBrowser, screenshot, seriousFaults } from './use-browser.ts';
import { type ChatVisitor, PHONE, samplesPage, visitChat } from './use-chat-page.ts';
import { pressesLong } from './page-gestures.ts';

afterAll(closeBrowser);

const CLIP = join(import.meta.dirname, '../../samples/talking-woman-512.mp4');
const MAN = 'Portrait man dark hair';
const WOMAN = 'Portrait woman brown hair';
const TALK = 'Talking woman 512';

interface Club extends Community {
  readonly olga: SandboxMember;
  readonly ben: SandboxMember;
}

/** Creates a club where Olga manages the server and Ben is a member. */
async function useClub(options: CommunityOptions = {}): Promise<Club> {
  const club = await useCommunity({
    sandbox: { page: samplesPage },
    media: { engines: copyingEngines(CLIP) },
    ...options,
  });
  const admins = club.guild.addRole('Admins', 'MANAGE_GUILD', 'MANAGE_MESSAGES');
  return {
    ...club,
    olga: club.guild.addMember('Olga', { roles: [admins] }),
    ben: club.guild.addMember('Ben'),
  };
}

/** Runs a command with one sample per option. Resolves with the newest message that reports the result. */
async function run(
  visitor: ChatVisitor,
  command: string,
  { samples = {}, texts = {} }: { samples?: Record<string, string>; texts?: Record<string, string> },
): Promise<Locator> {
  const form = await visitor.picks(command);
  for (const [option, text] of Object.entries(texts)) {
    const field = form.locator(`#option-${option}`);
    if (!(await field.isVisible())) await form.getByRole('button', { name: `Add ${option}` }).click();
    await field.fill(text);
  }
  for (const [option, name] of Object.entries(samples)) await visitor.gives(form, option, name);
  await form.getByRole('button', { name: 'Send' }).click();
  await form.waitFor({ state: 'detached' });
  return visitor.message(`used ${command}`);
}

/** Returns the value of a numeric property of an element; 0 if it has none. */
function numberOf(element: Locator, property: string): Promise<number> {
  return element.evaluate(
    (found, name) => Number((found as unknown as Record<string, unknown>)[name] ?? 0),
    property,
  );
}

describe.skipIf(!hasBrowser)('the bot on the chat page', () => {
  test('swaps a face in a picture of the gallery, and again with a button', async () => {
    const { sandbox } = await useClub();
    const visitor = await visitChat(sandbox);
    const { page } = visitor;
    await visitor.field.fill('/');
    await visitor.commands.first().waitFor();
    await screenshot(page, 'chat-picker');
    expect(await seriousFaults(page)).toEqual([]);

    const form = await visitor.picks('/photo-swap');
    await visitor.gives(form, 'image', MAN);
    await visitor.gives(form, 'face', WOMAN);
    await screenshot(page, 'chat-command');
    expect(await seriousFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Send' }).click();
    const card = visitor.message('AI-altered media');
    await card.getByRole('img').first().waitFor();
    await screenshot(page, 'chat-result');
    const retry = card.getByRole('button', { name: 'Retry' });
    sandbox.faults.loseInteractions(true);
    await retry.click();
    await card.getByText('This interaction failed').waitFor();
    sandbox.faults.loseInteractions(false);
    await retry.click();
    await card.getByText('This interaction failed').waitFor({ state: 'detached' });
    await page.locator('.message-list > li').filter({ hasText: 'AI-altered media' }).nth(1).waitFor();
    await page
      .locator('.origin-text')
      .filter({ hasText: /made for @\w/ })
      .waitFor();

    expect(await seriousFaults(page)).toEqual([]);
    expect(visitor.errors).toEqual([]);
  });

  test('runs every command that creates media', async () => {
    const { sandbox } = await useClub();
    const visitor = await visitChat(sandbox);
    const cases: readonly [string, Parameters<typeof run>[2]][] = [
      ['/photo-swap', { samples: { image: MAN, face: WOMAN } }],
      ['/video-swap', { samples: { video: TALK, face: MAN } }],
      ['/identity-swap', { samples: { video: TALK, character: MAN } }],
      ['/motion-transfer', { samples: { image: MAN, motion: TALK } }],
      ['/avatar', { samples: { image: MAN }, texts: { script: 'Good evening!' } }],
      ['/lip-sync', { samples: { video: TALK, audio: 'Speech woman 16k' } }],
    ];

    for (const [command, options] of cases) {
      const message = await run(visitor, command, options);
      await message.getByText('AI-altered media').first().waitFor();
      const kind = command === '/photo-swap' ? '.picture img' : 'video';
      const media = message.locator(kind).first();
      await media.waitFor();
    }
    const video = visitor.page.locator('video').last();
    await expect.poll(() => numberOf(video, 'readyState')).toBeGreaterThan(0);
    await screenshot(visitor.page, 'chat-clip');
    expect(visitor.errors).toEqual([]);
  });

  test('refuses jobs that the budget does not allow, and shows its settings to the admin only', async () => {
    const { sandbox } = await useClub();
    const visitor = await visitChat(sandbox);
    const { page } = visitor;
    await visitor.actAs('Olga');
    const form = await visitor.picks('/budget set');
    await form.getByLabel('amount').fill('0');
    await form.getByRole('button', { name: 'Choose period' }).click();
    await page.locator('.choice').filter({ hasText: /day/i }).first().click();
    await form.getByRole('button', { name: 'Send' }).click();
    await visitor.message('Only you can see this').waitFor();

    await visitor.actAs('Ben');
    await run(visitor, '/photo-swap', { samples: { image: MAN, face: WOMAN } });
    await visitor.message('daily budget is').waitFor();
    expect(await page.locator('.message.ephemeral').count()).toBe(0);
    await screenshot(page, 'chat-refusal');

    await visitor.actAs('Olga');
    await visitor.message('daily budget is').waitFor();
    const own = page.locator('.message.ephemeral');
    await own.getByRole('button', { name: 'Dismiss message' }).click();
    await own.waitFor({ state: 'detached' });
    expect(visitor.errors).toEqual([]);
  });

  test('shows the spending as a chart', async () => {
    const { sandbox, olga, general } = await useClub();
    const use = await olga.runs('/photo-swap', {
      in: general,
      options: {
        image: await sample('portrait-man-dark-hair.jpg'),
        face: await sample('portrait-woman-brown-hair.jpg'),
      },
    });
    await use.replyWhere(({ attachments }) => attachments.length === 1);
    const visitor = await visitChat(sandbox, { colorScheme: 'dark' });
    await visitor.actAs('Olga');

    const message = await run(visitor, '/spend show', {});

    const chart = message.locator('.picture img').first();
    await expect.poll(() => numberOf(chart, 'naturalWidth')).toBeGreaterThan(300);
    await screenshot(visitor.page, 'chat-spend-dark');
    expect(await seriousFaults(visitor.page)).toEqual([]);
    expect(visitor.errors).toEqual([]);
  });

  test("swaps a face in a member's picture by menu, button and form, on a phone", async () => {
    const { sandbox, ben, general } = await useClub();
    await ben.says('Look at this', { in: general, files: [await sample('portrait-man-dark-hair.jpg')] });
    const visitor = await visitChat(sandbox, { viewport: PHONE, hasTouch: true });
    const { page } = visitor;

    const message = visitor.message('Look at this');
    await pressesLong(page, message.getByText('Look at this'));
    await page.getByRole('button', { name: 'Use in a swap' }).tap();
    const menu = visitor.message('Only you can see this');
    await menu
      .getByRole('button')
      .filter({ hasText: /picture|face/ })
      .first()
      .waitFor();
    await screenshot(page, 'chat-menu-phone');
    await menu.getByRole('button', { name: 'Photo Swap: as the picture' }).click();
    const form = page.getByRole('dialog', { name: 'Photo Swap: as the picture' });
    await form.getByRole('button', { name: 'Samples' }).click();
    await page.getByRole('button', { name: WOMAN }).click();
    await screenshot(page, 'chat-form-phone');
    expect(await seriousFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Submit' }).click();

    await visitor.message('AI-altered media').getByRole('img').first().waitFor();
    await screenshot(page, 'chat-result-phone');
    expect(await seriousFaults(page)).toEqual([]);
    expect(visitor.errors).toEqual([]);
  });
});
