import type { Page } from 'playwright-core';
import { linkIn } from '../../bot/sessions/live-swap/use-live-swap.ts';
import { sample } from '../../helpers/use-community.ts';
import type { Stage } from './stage.ts';

/** Chromium's camera shows Chidi. */
export const CAMERA = { clip: 'talking-man-640x360.mp4', count: 12 } as const;

/** Gives the camera a neutral name: Chromium would show the path of the file that the camera plays. */
const NAME_CAMERA = `if (navigator.mediaDevices) {
  const { mediaDevices } = navigator;
  const enumerate = mediaDevices.enumerateDevices.bind(mediaDevices);
  mediaDevices.enumerateDevices = async () =>
    (await enumerate()).map(({ kind, deviceId }) => ({ kind, deviceId, label: 'Front camera' }));
}`;

/** Shows Chidi in front of his camera, with Chloe's face. */
export async function liveScene(stage: Stage): Promise<Page> {
  const { members, channels } = stage.club;
  const options = { minutes: 5, face: await sample('portrait-woman-brown-hair.jpg') };
  const use = await members.chidi.runs('/live start', { in: channels.clips, options });
  const page = await stage.openPage({ width: 1200, height: 650 }, { colorScheme: 'light' });
  await page.addInitScript(NAME_CAMERA);
  await page.goto(linkIn(await use.replied()));
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Agree and open my camera' }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('AI-altered media').first().waitFor({ state: 'attached' });
  await figure(page, 'Cost so far', /^\$0\.0[1-9]/);
  await figure(page, 'Pictures a second', /^\d\d/);
  return page;
}

/** Waits until the value that the page shows under a name has this text. */
async function figure(page: Page, name: string, text: RegExp): Promise<void> {
  const value = page.getByRole('term').filter({ hasText: name }).locator('+ dd');
  await value.filter({ hasText: text }).waitFor();
}
