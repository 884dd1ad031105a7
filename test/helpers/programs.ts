import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vite';

/** Where `bundle-programs.ts` puts the programs before all tests. */
export const PROGRAMS: string = join(import.meta.dirname, '../../out/programs');

/** The programs that tests start most often, each of which loads hundreds of files. */
export const BUNDLED: readonly string[] = [
  'test/helpers/bot-child.ts',
  'test/media-server/kills/doomed-child.ts',
  'test/whole/bank/teller.ts',
  'test/whole/crowd/crowd-process.ts',
];

/** The programs of the pools' child processes. A bundle starts them from its own folder. */
export const CHILDREN: readonly string[] = [
  'src/bot/media/fit/fit-child.ts',
  'src/bot/media/pool/media-child.ts',
  'src/bot/money/charts/chart-child.ts',
];

/**
 * Makes pools that run in a test's own process start their children from the bundled programs. Nearly every test of a
 * bot starts such a child.
 */
export const bundledChildren: Plugin = {
  name: 'bundled-children',
  enforce: 'pre',
  transform: (code) =>
    code.replaceAll(
      /new URL\(`([a-z]+-child)\.\$\{[^}]+\}`, import\.meta\.url\)/g,
      (_all, name: string) => `new URL('${pathToFileURL(join(PROGRAMS, `${name}.js`)).href}')`,
    ),
};

/**
 * Returns the file to start for `module`. Under vitest, this is the module's bundle, if it has one, because loading it
 * takes only a third of the processor time; otherwise it is `module` itself.
 */
export function programOf(module: URL): URL {
  const isBundled = BUNDLED.some((path) => module.pathname.endsWith(`/${path}`));
  if (process.env['VITEST'] === undefined || !isBundled) return module;
  return pathToFileURL(join(PROGRAMS, `${basename(module.pathname, '.ts')}.js`));
}
