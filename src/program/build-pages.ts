/**
 * Builds the pages that `pages.json` lists into `src/base/pages/built/<name>/`, from where the servers send them.
 * `launch.mjs` runs it when the source of a page has changed, and so does `npm run build`.
 */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import pages from './pages.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '../..');
const BUILT = join(ROOT, 'src/base/pages/built');
const PLACING_TRIES = 5;
/** A page is complete, or it is not there: two programs may build at once. */
const BUILDING = `${BUILT}.${process.pid}`;

try {
  for (const [name, folder] of Object.entries(pages)) await buildPage(name, folder);
  putInPlace();
} finally {
  rmSync(BUILDING, { recursive: true, force: true });
}

/** Another program may put its own there in between, which is as good but soon older. */
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
    // Pages are mounted below whatever prefix a host likes.
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
