import { afterAll, describe, expect, test } from 'vitest';
import { useCommunity } from '../../helpers/use-community.ts';
import { closeBrowser, hasBrowser } from './use-browser.ts';
import { samplesPage } from './use-chat-page.ts';
import { lookAt, runsFromPage, visitAsAda } from './use-connected-chat.ts';

const SWAP = [
  '/photo-swap',
  {
    image: { file: { sample: 'portrait-man-dark-hair.jpg' } },
    face: { file: { sample: 'portrait-woman-brown-hair.jpg' } },
  },
] as const;

afterAll(closeBrowser);

describe.skipIf(!hasBrowser)('the wire panel', () => {
  test('shows every call of an action in order, without secrets, and can be filtered, copied and navigated', async () => {
    const place = await useCommunity({ sandbox: { page: samplesPage } });
    const { page, errors } = await visitAsAda(place);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Wire panel' }).click();
    await runsFromPage(page, place, ['/budget show', {}]);
    await runsFromPage(page, place, SWAP);

    const panel = page.getByRole('complementary', { name: 'Wire panel' });
    const heads = panel.locator('summary');
    const lines = panel.getByRole('list', { name: 'Calls in their order' }).getByRole('listitem');
    await lines.filter({ hasText: 'charge: pending to spent' }).waitFor();
    await lines
      .filter({ hasText: 'PATCH /webhooks/:applicationId/:token/messages/:messageId' })
      .last()
      .waitFor();
    const told = await lines.allInnerTexts();
    const order = [
      'runs /photo-swap',
      'INTERACTION_CREATE',
      'hold: budget',
      'callback',
      'face-swap-image',
      'verified',
      'charge: pending',
    ];
    const places = order.map((words) => told.findIndex((line) => line.includes(words)));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(await heads.allInnerTexts()).toMatchObject([
      expect.stringContaining('runs /photo-swap'),
      expect.stringContaining('runs /budget show'),
      expect.anything(),
    ]);
    expect(await lookAt(page, 'chat-wire', 'Wire panel')).toEqual([]);

    await heads.first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await lines.filter({ hasText: 'runs /budget show' }).waitFor();
    await panel.getByRole('button', { name: 'Gateway' }).click();
    expect(await lines.filter({ hasText: 'INTERACTION_CREATE' }).count()).toBe(0);
    await panel.getByRole('button', { name: 'Copy' }).click();
    await panel.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toMatch(/ada: runs \/photo-swap .*\n.*\+0 ms .*Member/);
    expect(copied).not.toContain('INTERACTION_CREATE');
    const { apiKey, signingSecret } = place.media;
    const shown = `${String(copied)} ${await page.content()}`;
    for (const secret of [apiKey, signingSecret, place.sandbox.token]) expect(shown).not.toContain(secret);
    await panel.getByRole('button', { name: 'Clear' }).click();
    await panel.getByText('Nothing yet').waitFor();
    expect(errors).toEqual([]);
  });

  test('sets, shows and removes faults', async () => {
    const place = await useCommunity({ sandbox: { page: samplesPage } });
    place.guild.addVoiceChannel('Hall');
    const { page, errors } = await visitAsAda(place);
    await page.getByRole('button', { name: 'Wire panel' }).click();
    const panel = page.getByRole('complementary', { name: 'Wire panel' });
    await panel.getByRole('button', { name: 'Faults' }).click();

    const loss = panel.getByRole('switch', { name: '5 % packet loss' });
    await loss.click();
    await panel.getByRole('switch', { name: 'Service out of capacity', checked: false }).click();
    await panel.getByRole('button', { name: 'Do it: Lose the next webhook' }).click();
    await panel.getByText('Ordered; still to come.').waitFor();
    await panel.getByRole('button', { name: 'Faults (3 on)' }).waitFor();
    expect(place.media.faults.isOutOfCapacity).toBe(true);
    expect(await lookAt(page, 'chat-faults', 'Wire panel')).toEqual([]);
    await panel.getByRole('button', { name: 'Undo: Lose the next webhook' }).click();
    await loss.click();
    await panel.getByRole('button', { name: 'Faults (1 on)' }).waitFor();
    expect(place.media.faults.losesNextWebhook).toBe(false);

    await runsFromPage(page, place, SWAP);
    await panel.getByRole('button', { name: 'Wire', exact: true }).click();
    const lines = panel.getByRole('list', { name: 'Calls in their order' }).getByRole('listitem');
    await lines.filter({ hasText: 'face-swap-image 429' }).first().waitFor();
    await panel.getByText('trouble').first().waitFor();
    await panel.getByRole('button', { name: 'Faults (1 on)' }).click();
    await panel.getByRole('switch', { name: 'Service out of capacity', checked: true }).click();
    await panel.getByRole('button', { name: 'Do it: Drop the gateway' }).click();
    await panel.getByText(/^Done at/).waitFor();
    await panel.getByRole('button', { name: 'Wire', exact: true }).click();
    await lines.filter({ hasText: 'drop gateway' }).filter({ hasText: 'ordered' }).waitFor();
    await lines.filter({ hasText: 'charge: pending to spent' }).waitFor();
    expect(errors).toEqual([]);
  });
});
