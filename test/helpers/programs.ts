import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Where `bundle-programs.ts` puts the programs before all tests. */
export const PROGRAMS: string = join(import.meta.dirname, '../../out/programs');

/** The programs that tests start most often, each of which loads hundreds of files. */
export const BUNDLED: readonly string[] = [
  'test/helpers/bot-child.ts',
  'test/media-server/kills/doomed-child.ts',
  'test/whole/crowd/crowd-process.ts',
];

/**
 * Returns the file to start for `module`: under vitest, its bundle, if any, which takes a third of the processor time
 * to load; otherwise `module` itself.
 */
export function programOf(module: URL): URL {
  const isBundled = BUNDLED.some((path) => module.pathname.endsWith(`/${path}`));
  if (process.env['VITEST'] === undefined || !isBundled) return module;
  return pathToFileURL(join(PROGRAMS, `${basename(module.pathname, '.ts')}.js`));
}
