import type { FastifyInstance } from 'fastify';
import { BuiltPage, type PageName } from '../../../base/pages/built-page.ts';

const PAGES: readonly { readonly path: string; readonly name: PageName }[] = [
  { path: '/live', name: 'live' },
  { path: '/live/out', name: 'output' },
];
/**
 * Only our own scripts run on the pages, other sites cannot embed them in frames, and the camera is the only device
 * that they may use.
 */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, noarchive',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};
const OTHER_DEVICES = 'microphone=(), display-capture=(), geolocation=(), usb=(), serial=(), hid=(), midi=()';

/** Serves `GET live/` and `GET live/out/`, with their scripts and styles. Throws `PageError`. */
export async function serveLivePages(scope: FastifyInstance): Promise<void> {
  for (const { path, name } of PAGES) {
    const page = await BuiltPage.open(name);
    const camera = name === 'live' ? 'camera=(self)' : 'camera=()';
    await scope.register(
      async (below) => {
        page.serveAssets(below);
        below.get('/', { prefixTrailingSlash: 'slash' }, (_request, reply) =>
          reply
            .headers({ ...HEADERS, 'permissions-policy': `${camera}, ${OTHER_DEVICES}` })
            .type('text/html; charset=utf-8')
            // The path is relative, so that it works below any path that a proxy adds.
            .send(page.html('./')),
        );
      },
      { prefix: path },
    );
  }
}
