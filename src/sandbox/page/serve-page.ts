import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { systemErrorCode } from '../../base/errors.ts';
import type { PageGuard } from './page-guard.ts';

/** The page's built files. */
export interface PageAssets {
  /** With `index.html`; undefined where the page was not built. */
  readonly folder?: string | undefined;
}

/** Names of files below the folder: no dots at their beginnings, at most two folders deep. */
const FILE = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]{0,100}\/){0,2}[A-Za-z0-9_-][A-Za-z0-9._-]{0,100}$/;
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  webp: 'image/webp',
  woff2: 'font/woff2',
  json: 'application/json; charset=utf-8',
  wasm: 'application/wasm',
};
/** Scripts and styles are the page's own; media are the chat's files; nothing goes to anybody else. */
const POLICY = [
  "default-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "style-src 'self' 'unsafe-inline'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Chat page</title>
<p>The chat page is not part of this copy. Build it, or drive the sandbox by its control address.</p></html>`;

/** Serves the chat page at `/chat/`. Loading it begins a page session. */
export function servePage(
  app: FastifyInstance,
  { guard, folder }: PageAssets & { readonly guard: PageGuard },
): void {
  app.get('/chat', (_request, reply) => reply.redirect('/chat/'));
  app.get('/chat/*', async (request, reply) => {
    const own = new URL(guard.origin).host;
    if (!guard.isOwnHost(request.headers))
      return reply.code(403).type('text/plain').send('Not for this address');
    // Another name of this machine would be another origin.
    if (request.headers.host !== own) return reply.redirect(`${guard.origin}/chat/`);
    return sendFile(request, reply, { guard, folder });
  });
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { guard, folder }: PageAssets & { readonly guard: PageGuard },
): Promise<FastifyReply> {
  const { '*': path = '' } = request.params as { '*'?: string };
  const name = path === '' ? 'index.html' : path;
  reply.headers({
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': name === 'index.html' ? 'no-store' : 'no-cache',
  });
  const bytes = await readAsset(folder, name);
  if (name === 'index.html') reply.header('set-cookie', guard.setCookie);
  if (bytes) return reply.type(TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream').send(bytes);
  const isPage = name === 'index.html';
  return reply
    .code(isPage ? 200 : 404)
    .type('text/html; charset=utf-8')
    .send(isPage ? NOT_BUILT : '');
}

async function readAsset(folder: string | undefined, name: string): Promise<Buffer | undefined> {
  if (folder === undefined || !FILE.test(name)) return undefined;
  try {
    return await readFile(join(folder, name));
  } catch (error) {
    if (['ENOENT', 'EISDIR', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return undefined;
    throw error;
  }
}
