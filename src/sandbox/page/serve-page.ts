import type { FastifyInstance } from 'fastify';
import { BuiltPage, PageError } from '../../base/pages/built-page.ts';
import type { PageGuard } from './page-guard.ts';

/** Scripts and styles are the page's own, media are the chat's files, and no data is sent to other hosts. */
const POLICY = [
  "default-src 'none'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "style-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Chat page</title>
<p>The chat page is not part of this copy. Run <code>npm run build</code> and start it again.</p></html>`;

/** Returns the built page, or undefined if it was not built. */
export async function openPage(): Promise<BuiltPage | undefined> {
  try {
    return await BuiltPage.open('chat');
  } catch (error) {
    if (error instanceof PageError) return undefined;
    throw error;
  }
}

/** Serves the chat page at `/chat/`. Loading the page starts a page session. */
export async function servePage(
  app: FastifyInstance,
  { guard, page }: { readonly guard: PageGuard; readonly page: BuiltPage | undefined },
): Promise<void> {
  app.get('/chat', (_request, reply) => reply.redirect('/chat/'));
  await app.register(
    async (scope) => {
      scope.addHook('onRequest', async (request, reply) => {
        const own = new URL(guard.origin).host;
        if (!guard.isOwnHost(request.raw))
          return reply.code(403).type('text/plain').send('Not for this address');
        // Under another host name of this machine, the page would have another origin, which the control API rejects.
        if (request.headers.host !== own) return reply.redirect(`${guard.origin}/chat/`);
        return undefined;
      });
      scope.setNotFoundHandler((_request, reply) => reply.code(404).send());
      scope.get('/', { prefixTrailingSlash: 'slash' }, (_request, reply) =>
        reply
          .type('text/html; charset=utf-8')
          .headers({
            'content-security-policy': POLICY,
            'x-content-type-options': 'nosniff',
            'x-frame-options': 'DENY',
            'referrer-policy': 'no-referrer',
            // Browsers accept this header only on a secure origin, and log a warning elsewhere.
            ...(guard.isOpen && guard.origin.startsWith('http:')
              ? {}
              : { 'cross-origin-opener-policy': 'same-origin' }),
            'cross-origin-resource-policy': 'same-origin',
            'cache-control': 'no-store',
            'set-cookie': guard.setCookie,
          })
          .send(page?.html('/chat/') ?? NOT_BUILT),
      );
      page?.serveAssets(scope);
    },
    { prefix: '/chat' },
  );
}
