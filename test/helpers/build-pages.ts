import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Builds the pages before all tests, even if vitest was started directly. */
export function setup(): void {
  const launch = join(import.meta.dirname, '../../src/program/launch.mjs');
  const { status } = spawnSync(process.execPath, [launch, '--pages'], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('Cannot build the pages: see above');
}
