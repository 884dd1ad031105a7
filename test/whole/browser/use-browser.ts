import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import {
  type Browser,
  type BrowserContextOptions,
  type Page,
  type PageScreenshotOptions,
  chromium,
} from 'playwright-core';
import axe, { type AxeResults } from 'axe-core';
import { onTestFinished } from 'vitest';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const found = process.env['TEST_CHROMIUM'] ?? PLACES.find((path) => existsSync(path));

/** The folder for screenshots. */
const PICTURES = new URL('../../../out/pages/', import.meta.url);

/** Page tests are skipped if there is no Chromium, but never in CI. */
export const hasBrowser: boolean = found !== undefined || process.env['CI'] !== undefined;

let running: Promise<Browser> | undefined;

/**
 * Starts one Chromium for all tests in a file. Its microphone and camera are Chromium's own fakes, or play a file.
 */
export function startBrowser(args: readonly string[] = []): Promise<Browser> {
  if (running && args.length > 0) throw new Error('A test file did not close its browser');
  running ??= chromium.launch({
    executablePath: found ?? PLACES[0] ?? '',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      '--autoplay-policy=no-user-gesture-required',
      ...args,
    ],
  });
  return running;
}

export async function closeBrowser(): Promise<void> {
  await (await running)?.close();
  running = undefined;
}

/** Opens a new page in a separate profile. Errors that its scripts throw or log are collected in `errors`. */
export async function openPage(
  options: BrowserContextOptions = {},
): Promise<{ readonly page: Page; readonly errors: string[] }> {
  const context = await (
    await startBrowser()
  ).newContext({ viewport: { width: 1280, height: 800 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  return { page, errors };
}

/** Returns violations that axe rates critical or serious, each with its first element. */
export async function seriousFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help} (${nodes[0]?.html ?? ''})`);
}

/** Writes `out/pages/<name>.png`. */
export async function screenshot(
  page: Page,
  name: string,
  options: PageScreenshotOptions = {},
): Promise<void> {
  await mkdir(PICTURES, { recursive: true });
  await page.screenshot({ ...options, path: new URL(`${name}.png`, PICTURES).pathname });
}
