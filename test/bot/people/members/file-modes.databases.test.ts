import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aPicture } from '../../../whole/menus/use-menus.ts';
import { useCommunity } from '../../../helpers/use-community.ts';

/** Returns every file and folder below `folder` that other users may read, write or enter. */
async function openToOthers(folder: string): Promise<readonly string[]> {
  const open: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const { mode } = await lstat(path);
    if ((mode & 0o077) !== 0) open.push(`${path} ${(mode & 0o777).toString(8)}`);
  }
  return open;
}

test('makes everything that it writes accessible to its own user only: database, inputs, results, faces', async () => {
  const { ada, general, dataDir } = await useCommunity();
  const before = process.umask(0);
  try {
    const asked = await ada.runs('/face save', {
      in: general,
      options: { picture: await aPicture('me.png'), name: 'Me' },
    });
    const message = await asked.replied();
    await ada.presses('I may use this face', { on: message });
    await expect.poll(() => message.text, { timeout: 30_000 }).toContain('is saved for you alone');
    const options = { image: await aPicture('a.png'), face: await aPicture('b.png') };
    const swap = await ada.runs('/photo-swap', { in: general, options });
    await swap.replyWhere(({ attachments }) => attachments.length === 1);
    const folders = await readdir(dataDir);
    expect(folders).toEqual(expect.arrayContaining(['arrivals', 'faces', 'inputs', 'results']));
    for (const folder of ['faces', 'inputs', 'results']) {
      expect(await readdir(join(dataDir, folder))).not.toEqual([]);
    }
    expect(await openToOthers(dataDir)).toEqual([]);
  } finally {
    process.umask(before);
  }
});
