import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { copyingEngines } from '../conformance/copying-engines.ts';
import { useCommunity } from '../use-community.ts';
import { closeBrowser, hasBrowser, screenshot, seriousFaults } from './use-browser.ts';
import { samplesPage, visitChat } from './use-chat-page.ts';

afterAll(closeBrowser);

const CLIP = join(import.meta.dirname, '../samples/talking-woman-512.mp4');

describe.skipIf(!hasBrowser)('the bot on the chat page', () => {
  test('swaps a face in a picture of the gallery', async () => {
    const club = await useCommunity({
      sandbox: { page: samplesPage },
      media: { engines: copyingEngines(CLIP) },
    });
    const visitor = await visitChat(club.sandbox);
    const { page } = visitor;
    await visitor.field.fill('/');
    await visitor.commands.first().waitFor();
    await screenshot(page, 'chat-picker');

    const form = await visitor.picks('/photo-swap');
    await visitor.gives(form, 'image', 'Portrait man dark hair');
    await visitor.gives(form, 'face', 'Portrait woman brown hair');
    await screenshot(page, 'chat-command');
    await form.getByRole('button', { name: 'Send' }).click();

    const card = visitor.message('AI-altered media');
    await card.getByRole('img').first().waitFor();
    await screenshot(page, 'chat-result');
    expect(await seriousFaults(page)).toEqual([]);
    expect(visitor.errors).toEqual([]);
  });
});
