import { type FileHandle, open } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readByteRange } from '../../base/byte-range.ts';
import { z } from 'zod';
import { systemErrorCode } from '../../base/errors.ts';
import type { LinkedResult } from '../jobs/results/result-links.ts';
import { type Download, DownloadPlaces } from './download-places.ts';
import type { WebOptions } from './web-options.ts';

const PATH = '/results/:jobId/:expires/:signature/:name';
const PARTS = z.object({
  jobId: z.string().regex(/^[a-z0-9_]{1,64}$/),
  expires: z.string().regex(/^\d{1,12}$/),
  signature: z.string().regex(/^[0-9a-f]{64}$/),
});

const RETRY_SECONDS = 5;
/** The types that browsers may display; files of all other types can only be saved. */
const SHOWN = /^(image\/(jpeg|png|webp|gif|apng)|video\/(mp4|webm|quicktime)|audio\/[\w.-]+)$/;

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, noarchive',
  // Everybody with the link can get the file, so no copy may outlive the link.
  'cache-control': 'private, no-store',
};

const EXPIRED_PAGE = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>This link has expired</title>
<body style="font: 1.1rem/1.6 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem">
<h1>This link has expired</h1>
<p>Links to results are good for a limited time. In Discord, use <b>/jobs show</b> to get a new one.</p>
`;

/**
 * Serves `GET` and `HEAD` of signed links to stored results, whole or as one range. An invalid link gets the same
 * answer as a link to an unknown result.
 */
export function registerResults(scope: FastifyInstance, { results, log }: WebOptions): void {
  const places = new DownloadPlaces();
  scope.setErrorHandler((error, _request, reply) => {
    log.error({ error }, 'Cannot send a result');
    return reply
      .code(500)
      .headers(HEADERS)
      .send({ error: { code: 'unavailable' } });
  });
  scope.route({
    method: ['GET', 'HEAD'],
    url: PATH,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      reply.headers(HEADERS);
      const parts = PARTS.safeParse(request.params);
      const found: LinkedResult = parts.success ? await results.resolve(parts.data) : { kind: 'unknown' };
      if (found.kind === 'expired')
        return reply.code(410).type('text/html; charset=utf-8').send(EXPIRED_PAGE);
      const file = found.kind === 'file' ? await openFile(found.path) : undefined;
      if (found.kind !== 'file' || !file || !parts.success) return notFound(reply);
      if (!takePlace(places, { jobId: parts.data.jobId, address: request.ip }, reply)) {
        await file.close();
        return reply
          .code(503)
          .header('retry-after', String(RETRY_SECONDS))
          .send({ error: { code: 'busy' } });
      }
      return send(request, reply, file, found);
    },
  });
}

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  file: FileHandle,
  found: Extract<LinkedResult, { kind: 'file' }>,
): Promise<FastifyReply> {
  const { size, mtimeMs } = await file.stat();
  const etag = `"${size.toString(36)}-${Math.trunc(mtimeMs).toString(36)}"`;
  const ifRange = request.headers['if-range'];
  const isSame = ifRange === undefined || ifRange === etag;
  const range = readByteRange(isSame ? request.headers.range : undefined, size);
  reply.headers({
    etag,
    'accept-ranges': 'bytes',
    'content-type': SHOWN.test(found.mime) ? found.mime : 'application/octet-stream',
    'content-disposition': `${SHOWN.test(found.mime) ? 'inline' : 'attachment'}; filename="${found.name}"`,
  });
  if (range === 'unsatisfiable') {
    await file.close();
    return reply.code(416).header('content-range', `bytes */${size}`).send();
  }
  const { first, last } = range ?? { first: 0, last: size - 1 };
  if (range) reply.code(206).header('content-range', `bytes ${first}-${last}/${size}`);
  reply.header('content-length', String(last - first + 1));
  // A stream cannot read an empty file.
  if (request.method === 'HEAD' || size === 0) {
    await file.close();
    return reply.send();
  }
  return reply.send(file.createReadStream({ start: first, end: last }));
}

/**
 * Takes a place until the connection closes. Returns false if no place is free or the connection is already closed.
 */
function takePlace(places: DownloadPlaces, of: Omit<Download, 'end'>, reply: FastifyReply): boolean {
  const leave = reply.raw.destroyed ? undefined : places.take({ ...of, end: () => void reply.raw.destroy() });
  if (leave) reply.raw.once('close', leave);
  return leave !== undefined;
}

async function openFile(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The answer is the same for all invalid links, so it reveals nothing. */
function notFound(reply: FastifyReply): FastifyReply {
  return reply.code(404).send({ error: { code: 'not_found' } });
}
