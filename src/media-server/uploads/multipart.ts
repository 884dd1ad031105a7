import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Dicer } from '@fastify/busboy';
import { z } from 'zod';
import { ApiError, invalidInput } from '../wire/api-error.ts';
import { type DeclaredType, declaredType } from './upload-type.ts';

interface ReceiveOptions {
  /** Where the file is written; must not exist. The caller owns it, also after a failure. */
  readonly path: string;
  /** The most bytes a file of the declared type may have. */
  readonly sizeBytesMax: (type: DeclaredType) => number;
}

interface ReceivedFile extends DeclaredType {
  readonly sizeBytes: number;
}

const FILE_FIELD = 'file';
const PARTS_MAX = 16;
const PART_HEADER_BYTES_MAX = 8_192;
/** File content that waits to be written; above it no more is read. */
const WAITING_BYTES_MAX = 65_536;
/** Everything in the request that is not file content, plus what of it waits in buffers. */
const OVERHEAD_BYTES_MAX = 1_048_576;

/**
 * Streams the part `file` of a multipart request to disk. Resolves when the whole request has ended well;
 * throws `invalid_input` for a missing or second file and a malformed or cut-off body, `unsupported_format`
 * and `input_too_large` as soon as they show. Nothing is being written any more when it settles.
 */
export async function receiveFile(request: IncomingMessage, options: ReceiveOptions): Promise<ReceivedFile> {
  const reception = new Reception(options, () => request.resume());
  const reader = new Dicer(readerConfig(boundaryOf(request.headers['content-type'])));
  let partsEnded = false;
  reader.on('part', (part) => reception.take(part));
  reader.on('finish', () => {
    partsEnded = true;
    if (request.readableEnded) reception.finish();
  });
  reader.on('error', () => reception.fail(invalidInput('The body is not well-formed multipart')));
  // Not `pipe`: it would stop reading at the reader's own, early `finish` and leave the request unended.
  const onData = (chunk: Buffer): void => {
    reception.count(chunk.length);
    if (!partsEnded) reader.write(chunk);
    if (reception.isFull) request.pause();
  };
  const onEnd = (): void => {
    if (partsEnded) reception.finish();
    else reader.end();
  };
  // Also of a request that arrived whole: what of it is still unread when its sender leaves is lost.
  const onClose = (): void => {
    if (!request.readableEnded) reception.fail(invalidInput('The upload was cut off'));
  };
  request.on('data', onData).on('end', onEnd).on('close', onClose);
  try {
    return await reception.result;
  } finally {
    request.off('data', onData).off('end', onEnd).off('close', onClose).resume();
  }
}

/** What was seen of one request so far. Its first ending counts. */
class Reception {
  readonly result: Promise<ReceivedFile>;
  readonly #options: ReceiveOptions;
  readonly #onRoom: () => void;
  #resolve: (result: Promise<ReceivedFile>) => void = () => undefined;
  #file: { readonly part: Dicer.PartStream; readonly written: Promise<ReceivedFile> } | undefined;
  #parts = 0;
  #totalBytes = 0;
  #fileBytes = 0;
  /** The file is not written any further, so what still comes of it is nothing besides. */
  #gaveUp = false;
  #ended = false;

  /** `onRoom` is called as waiting content is written, whether or not there was none before. */
  constructor(options: ReceiveOptions, onRoom: () => void) {
    this.#options = options;
    this.#onRoom = onRoom;
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** No more should be read until there is room. */
  get isFull(): boolean {
    return (this.#file?.part.readableLength ?? 0) >= WAITING_BYTES_MAX;
  }

  count(bytes: number): void {
    this.#totalBytes += bytes;
    if (this.#gaveUp) return;
    if (this.#totalBytes - this.#fileBytes > OVERHEAD_BYTES_MAX) {
      this.fail(invalidInput(`The body holds too much besides the part "${FILE_FIELD}"`));
    }
  }

  take(part: Dicer.PartStream): void {
    part.on('error', ignore);
    if (++this.#parts > PARTS_MAX) this.fail(invalidInput('The body has too many parts'));
    if (this.#ended) part.resume();
    else part.on('header', (header: unknown) => this.#read(part, header));
  }

  finish(): void {
    if (this.#file) this.#end(this.#file.written);
    else this.fail(invalidInput(`The part "${FILE_FIELD}" is missing`));
  }

  /** Stops the writing and then rejects. */
  fail(error: ApiError): void {
    this.#file?.part.destroy(error);
    if (!this.#ended) this.#end(rejectAfter(this.#file?.written, error));
  }

  #end(result: Promise<ReceivedFile>): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#resolve(result);
  }

  #read(part: Dicer.PartStream, header: unknown): void {
    const { name, filename, contentType } = describePart(header);
    if (name === FILE_FIELD && !this.#file) {
      const written = this.#write(part, { contentType, filename });
      this.#file = { part, written };
      written.catch(() => this.#end(written));
      return;
    }
    part.resume();
    if (name === FILE_FIELD || filename !== undefined) {
      this.fail(invalidInput(`Exactly one file is accepted, as the part "${FILE_FIELD}"`));
    }
  }

  async #write(
    part: Dicer.PartStream,
    description: { contentType: string | undefined; filename: string | undefined },
  ): Promise<ReceivedFile> {
    const type = declaredType(description);
    const sizeBytesMax = this.#options.sizeBytesMax(type);
    const file = createWriteStream(this.#options.path, { flags: 'wx', mode: 0o600 });
    const closed = new Promise<void>((resolve) => file.once('close', resolve));
    try {
      await pipeline(part, (chunks: AsyncIterable<Buffer>) => this.#meter(chunks, sizeBytesMax), file);
    } catch (error) {
      this.#gaveUp = true;
      throw error;
    } finally {
      // A pipeline that fails early settles while its file is still being opened.
      await closed;
    }
    if (this.#fileBytes === 0) throw invalidInput('The file is empty');
    return { ...type, sizeBytes: this.#fileBytes };
  }

  async *#meter(chunks: AsyncIterable<Buffer>, sizeBytesMax: number): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      if (!this.isFull) this.#onRoom();
      this.#fileBytes += chunk.length;
      if (this.#fileBytes > sizeBytesMax) {
        throw new ApiError('input_too_large', `The file is larger than ${sizeBytesMax} bytes`);
      }
      yield chunk;
    }
  }
}

/** A part fails only along with its reader or its file, and each of those is answered for. */
function ignore(): void {}

async function rejectAfter(work: Promise<unknown> | undefined, error: ApiError): Promise<never> {
  await Promise.allSettled([work]);
  throw error;
}

const partHeader = z.object({
  'content-disposition': z.tuple([z.string()]),
  'content-type': z.tuple([z.string()]).optional(),
});

/** What a part says of itself; a part that says it badly has no name. */
function describePart(header: unknown): {
  name: string | undefined;
  filename: string | undefined;
  contentType: string | undefined;
} {
  const parsed = partHeader.safeParse({ ...Object(header) });
  const disposition = parsed.data?.['content-disposition'][0] ?? '';
  const known = /^form-data\s*;/i.test(disposition) ? disposition : '';
  return {
    name: parameter(known, 'name'),
    filename: parameter(known, 'filename') ?? parameter(known, 'filename\\*'),
    contentType: parsed.data?.['content-type']?.[0].trim() || undefined,
  };
}

function parameter(disposition: string, name: string): string | undefined {
  const match = new RegExp(`;\\s*${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, 'i').exec(
    disposition,
  );
  return match?.[1] ?? match?.[2];
}

function boundaryOf(contentType: string | undefined): string {
  const [type = '', ...parameters] = (contentType ?? '').split(';');
  const boundary = parameter(`;${parameters.join(';')}`, 'boundary');
  if (type.trim().toLowerCase() !== 'multipart/form-data' || !boundary || boundary.length > 70) {
    throw invalidInput('The body must be multipart/form-data with a boundary');
  }
  return boundary;
}

/**
 * The reader takes more limits than its types name. Its parts never ask it to wait: it would forget to go on when
 * a part ends between two pieces, so we pause the request ourselves.
 */
function readerConfig(boundary: string): Dicer.Config {
  const limits = {
    maxHeaderPairs: 32,
    maxHeaderSize: PART_HEADER_BYTES_MAX,
    partHwm: Number.MAX_SAFE_INTEGER,
  };
  return { boundary, ...limits };
}
