import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Before all tests: whoever runs vitest by itself sees the pages as they are now. */
export function setup(): void {
  const root = join(import.meta.dirname, '../..');
  const { status } = spawnSync(process.execPath, [join(root, 'src', 'launch.mjs'), '--pages'], {
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error('Cannot build the pages: see above');
}
