/**
 * Builds the pages that `pages.json` lists into `src/base/pages/built/<name>/`, from which the servers send them.
 * `launch.mjs` runs this script if the source of a page has changed, and `npm run build` always does.
 */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import pages from './pages.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '../..');
const BUILT = join(ROOT, 'src/base/pages/built');
const PLACING_TRIES = 5;
/**
 * Two programs can build at the same time, so each builds in its own folder and then moves the complete result to
 * `BUILT`.
 */
const BUILDING = `${BUILT}.${process.pid}`;

try {
  for (const [name, folder] of Object.entries(pages)) await buildPage(name, folder);
  putInPlace();
} finally {
  rmSync(BUILDING, { recursive: true, force: true });
}

/**
 * Moves the complete result to `BUILT`. Tries again if another program puts its own build there between the two calls.
 */
function putInPlace(): void {
  for (let triesLeft = PLACING_TRIES - 1; ; triesLeft -= 1) {
    rmSync(BUILT, { recursive: true, force: true });
    try {
      return renameSync(BUILDING, BUILT);
    } catch (error) {
      if (triesLeft === 0) throw error;
    }
  }
}

function buildPage(name: string, folder: string): Promise<unknown> {
  return build({
    configFile: false,
    root: join(ROOT, folder),
    // A host application can serve the pages below any prefix.
    base: './',
    logLevel: 'warn',
    publicDir: false,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
    build: {
      outDir: join(BUILDING, name),
      emptyOutDir: true,
      target: 'es2023',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
}
