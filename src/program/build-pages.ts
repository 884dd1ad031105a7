/**
 * Builds every page of this folder that has an `index.html` into `built/<page>/`, which the servers send. Run by
 * `src/program/launch.mjs` when a page is newer than what was built, and by `npm run build`.
 */
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

const FOLDER = import.meta.dirname;
const BUILT = join(FOLDER, 'built');
const PLACING_TRIES = 5;
/** A page is complete, or it is not there: two programs may build at once. */
const BUILDING = join(FOLDER, `built.${process.pid}`);

try {
  for (const page of pages()) await buildPage(page);
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

function pages(): readonly string[] {
  return readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((path) => /^[a-z]+[/\\]index\.html$/.test(path))
    .map((path) => path.split(/[/\\]/)[0] ?? '');
}

function buildPage(page: string): Promise<unknown> {
  return build({
    configFile: false,
    root: join(FOLDER, page),
    // Pages are mounted below whatever prefix a host likes.
    base: './',
    logLevel: 'warn',
    publicDir: false,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
    build: {
      outDir: join(BUILDING, page),
      emptyOutDir: true,
      target: 'es2023',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
}
