import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { ServiceError, systemErrorCode } from './errors.ts';

const BUILT = new URL('../pages/built/', import.meta.url);
const YEAR_SECONDS = 31_536_000;

export type PageName = 'chat' | 'console' | 'live' | 'output';

/** The pages of a browser were not built. */
export class PageError extends ServiceError<'not_built'> {}

/** A page as Vite built it: its HTML, and its scripts and styles, whose names change with what they hold. */
export class BuiltPage {
  readonly #html: string;
  readonly #folder: string;

  private constructor(html: string, folder: string) {
    this.#html = html;
    this.#folder = folder;
  }

  /** Throws `PageError`. */
  static async open(name: PageName): Promise<BuiltPage> {
    const folder = new URL(`${name}/`, BUILT);
    try {
      return new BuiltPage(await readFile(new URL('index.html', folder), 'utf8'), fileURLToPath(folder));
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') throw error;
      throw new PageError('not_built', `Cannot open the page "${name}": run "npm run build"`, {
        cause: error,
      });
    }
  }

  /** `base` is the path, with a slash at its end, below which `serveAssets` was registered. */
  html(base: string): string {
    return this.#html.replaceAll(/(src|href)="\.\//g, `$1="${base}`);
  }

  /** Serves scripts and styles at `assets/*` below the scope's prefix. They are the same for everybody. */
  async serveAssets(scope: FastifyInstance): Promise<void> {
    await scope.register(fastifyStatic, {
      root: `${this.#folder}assets`,
      prefix: '/assets/',
      index: false,
      decorateReply: false,
      immutable: true,
      maxAge: YEAR_SECONDS * 1000,
      setHeaders: (reply) => {
        reply.header('x-content-type-options', 'nosniff');
        reply.header('cross-origin-resource-policy', 'same-origin');
      },
    });
  }
}
