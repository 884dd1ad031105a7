import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { SAMPLES } from '../browser/use-connected-chat.ts';
import type { Stage } from './stage.ts';

const FRAME = { name: 'scene-12.jpg', mimeType: 'image/jpeg' };
const FACE = 'Portrait man dark hair';

/** Shows how Ben makes Walter younger, with the calls in the wire panel. */
export async function chatScene(stage: Stage): Promise<Page> {
  const { club } = stage;
  const { ben, chloe, walter } = club.members;
  const { portraits } = club.channels;
  const frame = await cutFrame();
  await walter.says('Friday is the flashback. Can you take off twenty-five years?', {
    in: portraits,
    files: [{ name: FRAME.name, bytes: frame }],
  });
  club.laterBy({ minutes: 3 });
  const visitor = await stage.openChat({
    as: ben,
    in: portraits,
    scheme: 'light',
    side: 'wire',
    window: { width: 1200, height: 1010 },
  });
  const { page } = visitor;
  const form = await visitor.picks('/photo-swap');
  const image = form.getByRole('group', { name: 'image', exact: true });
  await image.locator('input[type=file]').setInputFiles({ ...FRAME, buffer: frame });
  await visitor.gives(form, 'face', FACE);
  await form.getByRole('button', { name: 'Send' }).click();
  await visitor.message('AI-altered media').getByRole('img').first().waitFor();
  const lines = page.getByRole('list', { name: 'Calls in their order' }).getByRole('listitem');
  await lines.filter({ hasText: 'charge: pending to spent' }).waitFor();
  club.laterBy({ minutes: 1 });
  await chloe.says('I would cast him.', { in: portraits });
  await visitor.message('I would cast him').waitFor();
  await visitor.field.blur();
  return page;
}

/** Cuts Walter's portrait to the shape of a film frame. */
async function cutFrame(): Promise<Buffer> {
  return await sharp(await readFile(join(SAMPLES, 'portrait-man-elderly.jpg')))
    .extract({ left: 0, top: 110, width: 768, height: 415 })
    .jpeg({ quality: 92 })
    .toBuffer();
}
