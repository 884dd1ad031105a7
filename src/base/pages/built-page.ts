import { readFile, readdir } from 'node:fs/promises';
import { extname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ServiceError, systemErrorCode } from '../errors.ts';

const BUILT = new URL('built/', import.meta.url);
const YEAR_SECONDS = 31_536_000;
const TYPES: ReadonlyMap<string, string> = new Map([
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.webp', 'image/webp'],
  ['.woff2', 'font/woff2'],
]);
const HEADERS = {
  'cache-control': `public, max-age=${YEAR_SECONDS}, immutable`,
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};
const params = z.object({ name: z.string() });

export type PageName = 'chat' | 'console' | 'live' | 'output';

/** The browser pages were not built. */
export class PageError extends ServiceError<'not_built'> {}

interface Asset {
  readonly type: string;
  readonly bytes: Buffer;
}

/**
 * A page as Vite built it: its HTML, and its scripts and styles, whose names contain a hash of their content. It is
 * kept in memory, so that many simultaneous requests open no files and need no more memory.
 */
export class BuiltPage {
  readonly #html: string;
  readonly #assets: ReadonlyMap<string, Asset>;

  private constructor(html: string, assets: ReadonlyMap<string, Asset>) {
    this.#html = html;
    this.#assets = assets;
  }

  /** Loads the page from disk. Throws `PageError`. */
  static async open(name: PageName): Promise<BuiltPage> {
    const folder = new URL(`${name}/`, BUILT);
    try {
      const html = await readFile(new URL('index.html', folder), 'utf8');
      return new BuiltPage(html, await readAssets(new URL('assets/', folder)));
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') throw error;
      throw new PageError('not_built', `Cannot open the page "${name}": run "npm run build"`, {
        cause: error,
      });
    }
  }

  /**
   * Returns the HTML with its links below `base`: the path, with a slash at its end, where `serveAssets` is registered.
   */
  html(base: string): string {
    return this.#html.replaceAll(/(src|href)="\.\//g, `$1="${base}`);
  }

  /** Serves scripts and styles at `assets/*` below the scope's prefix. They are the same for everybody. */
  serveAssets(scope: FastifyInstance): void {
    scope.get('/assets/:name', (request, reply) => {
      const asset = this.#assets.get(params.parse(request.params).name);
      if (!asset) return reply.callNotFound();
      return reply.headers(HEADERS).type(asset.type).send(asset.bytes);
    });
  }
}

async function readAssets(folder: URL): Promise<ReadonlyMap<string, Asset>> {
  const names = await readdir(folder);
  const assets = names.map(async (name): Promise<[string, Asset]> => {
    const type = TYPES.get(extname(name));
    if (type === undefined) throw new TypeError(`Cannot serve "${name}": its type is not known`);
    return [name, { type, bytes: await readFile(new URL(name, folder)) }];
  });
  return new Map(await Promise.all(assets));
}
