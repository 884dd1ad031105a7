import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError, invalidInput } from '../../wire/api-error.ts';
import { systemErrorCode } from '../../../base/errors.ts';
import type { LinkedKind } from '../../files/links.ts';
import { type ByteRange, readByteRange } from '../../../base/byte-range.ts';
import type { Services } from '../services.ts';
import { findJob } from '../../store/jobs.ts';
import { findUpload } from '../../store/uploads.ts';

interface StoredFile {
  readonly path: string;
  readonly mime: string;
}

/** Adds the routes `GET /outputs/{id}` and `GET /uploads/{id}`, which need a signed link and no key. */
export function fileRoutes(app: FastifyInstance, { db, files, links }: Services): void {
  const find: Readonly<Record<LinkedKind, (id: string) => StoredFile | undefined>> = {
    outputs(id) {
      const job = findJob(db, id);
      if (!job?.outputFile || !job.outputMime || job.outputDeletedAt !== null) return undefined;
      return { path: files.output(job.outputFile), mime: job.outputMime };
    },
    uploads(id) {
      const upload = findUpload(db, id);
      return upload && { path: files.upload(upload.id), mime: upload.mime };
    },
  };
  for (const kind of ['outputs', 'uploads'] as const) {
    app.get<{ Params: { id: string }; Querystring: Record<string, unknown> }>(
      `/${kind}/:id`,
      async (request, reply) => {
        const { id } = request.params;
        const stored = links.verify(kind, id, request.query) ? find[kind](id) : undefined;
        if (!stored) throw linkGone();
        return await sendFile(reply, stored);
      },
    );
  }
}

/**
 * Sends a file. Declared types are not trusted, so headers prevent a browser from running the file or showing
 * it as a page. A request may ask for one range, so that an interrupted download can continue; the content of
 * a file never changes under its name.
 */
async function sendFile(reply: FastifyReply, stored: StoredFile): Promise<FastifyReply> {
  const { range, 'if-range': ifRange } = reply.request.headers;
  const etag = `"${basename(stored.path)}"`;
  const isSameFile = ifRange === undefined || ifRange === etag;
  const { content, sizeBytes, part } = await openStored(stored.path, {
    headOnly: reply.request.method === 'HEAD',
    range: isSameFile ? range : undefined,
  });
  if (part === 'unsatisfiable') {
    void reply.code(416).header('content-range', `bytes */${sizeBytes}`);
    return await reply.send(invalidInput('Range: begins behind the end of the file').envelope);
  }
  if (part) void reply.code(206).header('content-range', `bytes ${part.first}-${part.last}/${sizeBytes}`);
  return reply
    .headers({
      'content-type': stored.mime,
      'content-length': part ? part.last - part.first + 1 : sizeBytes,
      'accept-ranges': 'bytes',
      etag,
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, no-store',
    })
    .send(content);
}

interface Wanted {
  readonly headOnly: boolean;
  /** The `Range` header, if it applies. */
  readonly range: string | undefined;
}

interface Content {
  readonly content: Readable;
  /** The size of the whole file. */
  readonly sizeBytes: number;
  /** The requested part, or undefined if the content is the whole file. */
  readonly part?: ByteRange | 'unsatisfiable' | undefined;
}

async function openStored(path: string, wanted: Wanted): Promise<Content> {
  try {
    return wanted.headOnly ? await measure(path) : await openPart(path, wanted.range);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') throw linkGone();
    throw error;
  }
}

/** Measures the file for a HEAD request, for which the framework would read the whole file and drop it. */
async function measure(path: string): Promise<Content> {
  return { content: Readable.from([]), sizeBytes: (await stat(path)).size };
}

/** Opens the file as a stream, which owns the handle and closes it in every case. */
async function openPart(path: string, range: string | undefined): Promise<Content> {
  const file = await open(path);
  try {
    const sizeBytes = (await file.stat()).size;
    const part = readByteRange(range, sizeBytes);
    if (part === 'unsatisfiable') {
      await file.close();
      return { content: Readable.from([]), sizeBytes, part };
    }
    const content = file.createReadStream(part ? { start: part.first, end: part.last } : {});
    return { content, sizeBytes, part };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * The answer is the same for a changed link, an expired link and a deleted file, so a prober learns nothing.
 */
function linkGone(): ApiError {
  return new ApiError('not_found', 'This link is not valid or no longer valid');
}
