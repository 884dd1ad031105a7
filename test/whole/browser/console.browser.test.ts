import type { Page } from 'playwright-core';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { parseUsd } from '../../../src/base/money.ts';
import type { MediaServerOptions } from '../../../src/media-server/options.ts';
import { ApiClient } from '../../media-server/api-client.ts';
import { ConsoleClient } from '../../media-server/console/console-client.ts';
import { openVoice } from '../../media-server/sessions/use-sessions.ts';
import { ScalingVoices } from '../../media-server/sessions/stream-engines.ts';
import { TestEngine } from '../../media-server/test-engine.ts';
import { useDatabase } from '../../media-server/use-database.ts';
import { useReceiver } from '../../media-server/use-receiver.ts';
import { type UsedServer, useServer } from '../../media-server/use-server.ts';
import { closeBrowser, hasBrowser, openPage, screenshot, seriousFaults } from './use-browser.ts';

afterAll(closeBrowser);

interface Inside extends UsedServer {
  readonly page: Page;
  readonly errors: readonly string[];
}

/** Logs in to the console with its first password. */
async function useInside(options: Partial<MediaServerOptions> = {}): Promise<Inside> {
  const used = await useServer(options);
  const password = used.server.admin.firstConsolePassword() ?? '';
  const { page, errors } = await openPage();
  await page.goto(String(used.server.consoleUrl));
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation').waitFor();
  return { ...used, page, errors };
}

/** Returns the text of the table row that has focus, or contains the element that has it. */
async function focusedRow(page: Page): Promise<string> {
  return await page.evaluate<string>('document.activeElement.closest("tr")?.textContent ?? ""');
}

async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

describe.skipIf(!hasBrowser)('the console page', () => {
  test('logs in with the password only, and out again', async () => {
    const { server } = await useServer();
    const password = server.admin.firstConsolePassword() ?? '';
    const { page, errors } = await openPage();
    await page.goto(String(server.consoleUrl));
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').filter({ hasText: 'This is not the password' }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Embedded' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Embedded' }).waitFor();
    const logOut = page.getByRole('button', { name: 'Log out' });
    await page.route('**/api/session', (route) => route.abort());
    await logOut.click();
    await page.getByText('does not answer').waitFor();
    await page.unroute('**/api/session');
    await logOut.click();
    await page.getByLabel('Password').waitFor();
    await page.reload();
    await page.getByLabel('Password').waitFor();
    expect(errors.filter((text) => !/401|ERR_FAILED/.test(text))).toEqual([]);
  });

  test('tops up, creates a key that is shown once, and revokes it', async () => {
    const { page, errors, server, api: first } = await useInside();
    await page.getByRole('button', { name: 'Top up Embedded' }).click();
    await page.getByLabel('Amount in US dollars').fill('1,5');
    await page.keyboard.press('Enter');
    await page.getByText('without commas').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByLabel('Amount in US dollars').fill('1.500001');
    await page.keyboard.press('Enter');
    await page.getByText('$26.500001 available').waitFor();
    await page.getByText('Spent this week').click();
    await page.getByText('This month').waitFor();
    await first.ended((await first.submit(await first.photoSwapBody())).id);
    const spent = page.locator('details[open] dd');
    await expect.poll(() => spent.allTextContents()).toEqual(['$0.04', '$0.04', '$0.04']);

    await page.getByRole('button', { name: 'New key for Embedded' }).click();
    await page.getByLabel('Name').fill('Photo club');
    expect(await page.getByLabel('Requests a minute').inputValue()).toBe('100000');
    await page.getByRole('button', { name: 'Make the key' }).click();
    const key = await page.getByLabel('Copy it now').inputValue();
    const api = new ApiClient(server.baseUrl, key);
    expect((await api.get('/balance')).json).toMatchObject({ balance_usd: 26.460001 });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').waitFor();
    await screenshot(page, 'console-new-key');
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(key);
    await page.getByRole('button', { name: 'Done' }).click();

    await goTo(page, 'Keys');
    expect(await page.content()).not.toContain(key);
    await page.getByRole('button', { name: 'Revoke Photo club' }).click();
    await page.getByText('never works again').waitFor();
    await page.getByRole('button', { name: 'Revoke for good' }).click();
    await page
      .getByRole('row', { name: /Photo club/ })
      .getByText('revoked')
      .waitFor();
    expect((await api.get('/balance')).status).toBe(401);
    await expect.poll(() => focusedRow(page)).toContain('Photo club');
    expect(errors.filter((text) => !text.includes('400'))).toEqual([]);
  });

  test('changes a rate to the micro-dollar and switches a capability off and on', async () => {
    const { page, errors, api } = await useInside();
    await goTo(page, 'Rates');
    await page.getByRole('button', { name: 'Change Photo swap' }).click();
    await page.getByLabel('Rate per picture').fill('0.000125');
    await page.getByLabel('Minimum charge').fill('0');
    await page.getByRole('button', { name: 'Set the rate' }).click();
    await page.getByRole('row', { name: /Photo swap everybody \$0\.000125 \/ picture \$0\.00/ }).waitFor();
    await page.getByRole('button', { name: 'Rate for an account' }).click();
    await page.getByLabel('Capability').selectOption('photo_swap');
    await page.getByLabel('Rate', { exact: true }).fill('0.03');
    await page.getByRole('button', { name: 'Set the rate' }).click();
    await page.getByRole('row', { name: /Photo swap Embedded \$0\.03/ }).waitFor();
    const { id } = await api.submit(await api.photoSwapBody());
    expect((await api.ended(id)).charged_usd).toBe(0.03);

    await goTo(page, 'Settings');
    await page.getByRole('button', { name: 'Switch off Photo swap' }).click();
    await page.getByRole('button', { name: 'Switch off', exact: true }).click();
    const switchOn = page.getByRole('button', { name: 'Switch on Photo swap' });
    await switchOn.waitFor();
    await expect
      .poll(() => page.evaluate<string>('document.activeElement.textContent'))
      .toContain('Switch on');
    const refused = await api.post('/face-swap-image', await api.photoSwapBody());
    expect(refused.json).toMatchObject({ error: { code: 'capability_unavailable' } });
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Switch off Photo swap' }).waitFor();
    await page.getByRole('button', { name: 'Change Jobs under way' }).click();
    await page.getByLabel('At most').fill('7');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /Jobs under way .* 7/ }).waitFor();
    expect(errors).toEqual([]);
  });

  test('shows jobs, sessions and webhook attempts as they happen, without moving the focus', async () => {
    const voices = new ScalingVoices();
    const photos = new TestEngine();
    const { page, errors, api } = await useInside({ engines: { photoSwap: photos, voiceSwap: voices } });
    const receiver = await useReceiver((response) => response.writeHead(500).end());
    photos.pause();
    await goTo(page, 'Jobs');
    await page.getByText('No job yet').waitFor();
    const body = await api.photoSwapBody();
    const first = await api.submit({ ...body, callback_url: receiver.url });
    const cancel = page.getByRole('button', { name: /Cancel job/ });
    await cancel.waitFor();
    await cancel.focus();
    await api.submit(body);
    await expect.poll(() => cancel.count()).toBe(2);
    expect(await page.evaluate<string>('document.activeElement.closest("tr").dataset.id')).toBe(first.id);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Cancel the job' }).click();
    await page.getByRole('row', { name: /failed cancelled/ }).waitFor();
    photos.release();
    await page.getByRole('row', { name: /succeeded/ }).waitFor();
    await goTo(page, 'Webhooks');
    await page.getByRole('row', { name: /on its way 1 of 6 \S+ 500 next at/ }).waitFor();
    await goTo(page, 'Sessions');
    await openVoice(api);
    await page.getByRole('row', { name: /Voice swap Embedded waits for its client/ }).waitFor();
    expect(errors).toEqual([]);
  });

  test('shows and rotates a signing secret, and creates a new password, both shown once', async () => {
    const { page, errors, server } = await useInside();
    await page.getByRole('button', { name: 'Signing secret of Embedded' }).click();
    await page.getByRole('button', { name: 'Show it' }).click();
    const kept = page.getByLabel('Copy it now');
    expect(await kept.inputValue()).toBe(server.signingSecret);
    expect(await seriousFaults(page)).toEqual([]);
    for (let time = 0; time < 3; time += 1) await page.keyboard.press('Escape');
    expect(await kept.isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Rotate secret of Embedded' }).click();
    await page.getByLabel('Overlap in minutes').fill('5');
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await page.getByText('the old one signs along for 5 minutes').waitFor();
    expect(await kept.inputValue()).toBe(server.admin.signingSecret());
    await page.getByRole('button', { name: 'Done' }).click();
    await goTo(page, 'Settings');
    await page.getByRole('button', { name: 'New password' }).click();
    await page.getByRole('button', { name: 'Make a new password' }).click();
    const password = await kept.inputValue();
    await page.getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(password);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    expect(errors).toEqual([]);
  });

  test('keeps loaded pages of a list live, and closes a dialog when its log-in ends', async () => {
    const { page, server } = await useInside();
    for (let number = 0; number < 60; number += 1) server.admin.createKey({ name: `Key ${number}` });
    await goTo(page, 'Keys');
    const rows = page.getByRole('row');
    await expect.poll(() => rows.count()).toBe(51);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => rows.count()).toBe(62);
    const last = (await rows.last().textContent()) ?? '';
    const name = /Key \d+|Embedded/.exec(last)?.[0] ?? '';
    const { id = '' } = server.admin.listKeys().find((key) => key.name === name) ?? {};
    server.admin.setRequestsPerMinute(id, 77);
    server.admin.topUp(parseUsd('1'));
    await expect.poll(() => rows.last().textContent()).toContain(`${name}Embedded77`);
    await page.getByRole('button', { name: `Limit of ${name}`, exact: true }).click();
    await page.getByLabel('Requests a minute').waitFor();
    const password = server.admin.newConsolePassword();
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('waits while the console is open on too many pages', async () => {
    const { page, server } = await useInside();
    const { value = '', name = '' } = (await page.context().cookies())[0] ?? {};
    await page.goto('about:blank');
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const others = Array.from({ length: 16 }, () => new ConsoleClient(server.consoleUrl));
    for (const other of others) {
      other.cookie = `${name}=${value}`;
      await other.changes(stop.signal).next();
    }
    await page.goto(String(server.consoleUrl));
    await page.getByText('open on too many pages').waitFor();
    stop.abort();
    await page.getByRole('heading', { name: 'Embedded' }).waitFor();
  });

  test('recovers by itself when its log-in has ended elsewhere or the server was down', async () => {
    const used = await useInside();
    const { page, server } = used;
    await page.getByText('Live', { exact: true }).waitFor();
    await used.restart({ port: server.port });
    await page.getByText('Reconnecting').or(page.getByLabel('Password')).waitFor();
    await page.getByLabel('Password').waitFor();
  });
});

const VIEWS = ['Accounts', 'Keys', 'Rates', 'Settings', 'Jobs', 'Sessions', 'Webhooks'];
const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const;
const LOOKS = [
  ['desktop', 'light'],
  ['phone', 'light'],
  ['phone', 'dark'],
  ['desktop', 'dark'],
] as const;

describe.skipIf(!hasBrowser)('the appearance of the console page', () => {
  test('is good on a desktop and a phone, light and dark, in every view', async () => {
    const engines = { photoSwap: new TestEngine(), voiceSwap: new ScalingVoices() };
    const used = await useInside({ engines });
    const { page } = used;
    await fill(used);
    const show = async (name: string): Promise<void> => {
      for (const [size, colorScheme] of LOOKS) {
        await page.setViewportSize(SIZES[size]);
        await page.emulateMedia({ colorScheme });
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(SIZES[size].width);
        if ((size === 'phone') === (colorScheme === 'dark')) expect(await seriousFaults(page)).toEqual([]);
        await screenshot(page, `console-${name}-${size}-${colorScheme}`);
      }
    };
    for (const view of VIEWS) {
      await goTo(page, view);
      await show(view.toLowerCase());
    }
    await goTo(page, 'Rates');
    await page.getByRole('button', { name: 'Change Video swap' }).click();
    await show('question');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Password').waitFor();
    await show('log-in');
  });
});

describe.skipIf(!hasBrowser)('the console page fits', () => {
  test('at any width, and with any length of names', async () => {
    const used = await useInside({
      engines: { photoSwap: new TestEngine(), voiceSwap: new ScalingVoices() },
    });
    const { page } = used;
    const { admin } = used.server;
    await fill(used);
    const accountId = admin.createAccount('W'.repeat(100));
    admin.topUp(parseUsd('999999.999999'), accountId);
    admin.createKey({ name: 'W'.repeat(100), accountId });
    admin.changeRate('photo_swap', { rate: parseUsd('999999.999999') }, accountId);
    const wider: unknown[] = [];
    for (const view of VIEWS) {
      await goTo(page, view);
      for (const width of [320, 600, 820, 1_080, 1_100]) {
        await page.setViewportSize({ width, height: 900 });
        const taken = await page.evaluate<number>('document.documentElement.scrollWidth');
        if (taken > width) wider.push({ view, width, taken });
      }
    }
    expect(wider).toEqual([]);
  });
});

/**
 * Simulates several minutes of delivery attempts: pending webhooks have been attempted three times, and attempts 2
 * and 3 are added wherever an attempt ended with 503.
 */
const TRIED_OFTEN = `
  UPDATE deliveries SET attempts = 3, createdAt = createdAt - 150000, dueAt = dueAt + 120000 WHERE state = 'pending';
  INSERT INTO deliveryAttempts
    SELECT deliveryId, 2, startedAt - 120000, endedAt - 110000, 'timeout' FROM deliveryAttempts WHERE outcome = '503';
  INSERT INTO deliveryAttempts
    SELECT deliveryId, 3, startedAt - 60000, endedAt - 60000, 'ECONNREFUSED' FROM deliveryAttempts WHERE outcome = '503';
  UPDATE deliveryAttempts SET startedAt = startedAt - 150000, endedAt = endedAt - 150000 WHERE outcome = '503';
`;

/** Fills the server with an example of everything. */
async function fill({ server: { admin }, api, dataDir }: UsedServer): Promise<void> {
  const receiver = await useReceiver();
  const sour = await useReceiver((response) => response.writeHead(503).end());
  const accountId = admin.createAccount('Harbour photo club');
  admin.topUp(parseUsd('1250.5'), accountId);
  admin.createKey({ name: 'Club bot', accountId, requestsPerMinute: 120 });
  admin.revokeKey(admin.createKey({ name: 'Old laptop' }).id);
  admin.changeRate('photo_swap', { rate: parseUsd('0.042125') }, accountId);
  admin.switchCapability('lip_sync', false);
  admin.setCeiling(40);
  const body = await api.photoSwapBody();
  for (const callback_url of [receiver.url, receiver.url, sour.url]) {
    await api.ended((await api.submit({ ...body, callback_url })).id);
  }
  const database = useDatabase(dataDir);
  await expect.poll(() => database.count('deliveryAttempts WHERE endedAt > 0')).toBe(3);
  database.exec(TRIED_OFTEN);
  const cancelled = await api.submit(body);
  admin.cancelJob(cancelled.id);
  await openVoice(api);
}
