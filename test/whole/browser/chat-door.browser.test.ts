import { networkInterfaces } from 'node:os';
import { afterAll, expect, test } from 'vitest';
import { sample } from '../../helpers/use-community.ts';
import { useSandbox } from '../../helpers/use-sandbox.ts';
import { closeBrowser } from './use-browser.ts';
import { visitChat } from './use-chat-page.ts';

afterAll(closeBrowser);

/** Returns this machine's address on a network; without one, an address that is not the sandbox's own. */
function networkAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((known) => known ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.2';
}

test('the chat page works by plain http from a network: pictures, messages, the wire panel', async () => {
  const sandbox = await useSandbox({ page: { open: { host: networkAddress() } } });
  const { filmClub } = sandbox.seed();
  const files = [await sample('portrait-man-dark-hair.jpg')];
  await filmClub.members.ben.says('Look at this', { in: filmClub.channels.general, files });
  const { page, errors } = await visitChat(sandbox);
  await page.getByRole('button', { name: 'Enlarge: portrait-man-dark-hair.jpg' }).waitFor();
  const widths = '[...document.querySelectorAll(".picture img")].map((image) => image.naturalWidth)';
  await expect.poll(() => page.evaluate(widths)).toEqual([768]);
  await page.getByRole('button', { name: 'Wire panel' }).click();
  await page.getByRole('textbox', { name: /^Message / }).fill('Hello from the network');
  await page.keyboard.press('Enter');
  await page.locator('.message-list').getByText('Hello from the network').waitFor();
  await page.getByText('says something').first().waitFor();
  expect(errors).toEqual([]);
});
