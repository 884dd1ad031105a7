import { open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError } from '../../wire/api-error.ts';
import { systemErrorCode } from '../../../base/errors.ts';
import type { LinkedKind } from '../../files/links.ts';
import type { Services } from '../services.ts';
import { findJob } from '../../store/jobs.ts';
import { findUpload } from '../../store/uploads.ts';

interface StoredFile {
  readonly path: string;
  readonly mime: string;
}

/** `GET /outputs/{id}` and `GET /uploads/{id}`, by signed link and without a key. */
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

/** Declared types are not believed: nothing that a browser gets from here may run or be shown as a page. */
async function sendFile(reply: FastifyReply, stored: StoredFile): Promise<FastifyReply> {
  const { content, sizeBytes } = await openStored(stored.path, reply.request.method === 'HEAD');
  return reply
    .headers({
      'content-type': stored.mime,
      'content-length': sizeBytes,
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, no-store',
    })
    .send(content);
}

interface Content {
  readonly content: Readable;
  readonly sizeBytes: number;
}

async function openStored(path: string, headOnly: boolean): Promise<Content> {
  try {
    return headOnly ? await measure(path) : await openWhole(path);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') throw linkGone();
    throw error;
  }
}

/** For a HEAD: the framework would read the whole file only to drop it. */
async function measure(path: string): Promise<Content> {
  return { content: Readable.from([]), sizeBytes: (await stat(path)).size };
}

/** The stream owns the open file and closes it however it ends. */
async function openWhole(path: string): Promise<Content> {
  const file = await open(path);
  try {
    return { sizeBytes: (await file.stat()).size, content: file.createReadStream() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The same for a changed, expired or outlived link: a prober learns nothing. */
function linkGone(): ApiError {
  return new ApiError('not_found', 'This link is not valid or no longer valid');
}
