import { createWriteStream } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Dicer } from '@fastify/busboy';
import { z } from 'zod';
import { ApiError, invalidInput } from '../wire/api-error.ts';
import { type DeclaredType, declaredType } from './declared-type.ts';

interface ReceiveOptions {
  /** The path of the file, which must not exist yet. The caller owns it, even after a failure. */
  readonly path: string;
  /** Returns the largest size of a file of the declared type. */
  readonly sizeBytesMax: (type: DeclaredType) => number;
}

interface ReceivedFile extends DeclaredType {
  readonly sizeBytes: number;
}

const FILE_FIELD = 'file';
const PARTS_MAX = 16;
const PART_HEADER_BYTES_MAX = 8_192;
/** The amount of file content that may wait to be written. Above it, reading pauses. */
const WAITING_BYTES_MAX = 65_536;
/**
 * The limit on everything in the request that is not written file content; file content counts while it is buffered.
 */
const OVERHEAD_BYTES_MAX = 1_048_576;

/**
 * Streams the part `file` of a multipart request to disk. Resolves when the whole request has ended
 * successfully. Throws `invalid_input` for a missing or second file and for a malformed or interrupted body,
 * and `unsupported_format` and `input_too_large` as soon as they are detected. When it settles, nothing is
 * being written any longer.
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
  // This does not use `pipe`, because `pipe` stops reading when the reader emits its early `finish`, and the
  // request would never end.
  const onData = (chunk: Buffer): void => {
    reception.count(chunk.length);
    if (!partsEnded) reader.write(chunk);
    if (reception.isFull) request.pause();
  };
  const onEnd = (): void => {
    if (partsEnded) reception.finish();
    else reader.end();
  };
  // This also applies to a request that arrived completely: data that is unread when its sender disconnects
  // is lost.
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

/** The state of one request. Only its first success or failure counts. */
class Reception {
  readonly result: Promise<ReceivedFile>;
  readonly #options: ReceiveOptions;
  readonly #onRoom: () => void;
  #resolve: (result: Promise<ReceivedFile>) => void = () => undefined;
  #file: { readonly part: Dicer.PartStream; readonly written: Promise<ReceivedFile> } | undefined;
  #parts = 0;
  #totalBytes = 0;
  #fileBytes = 0;
  /** Whether the file is no longer being written. If so, its remaining content does not count as overhead. */
  #gaveUp = false;
  #ended = false;

  /** `onRoom` is called whenever waiting content is written, even if reading was not paused. */
  constructor(options: ReceiveOptions, onRoom: () => void) {
    this.#options = options;
    this.#onRoom = onRoom;
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Whether reading should pause until there is room. */
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

  /** Stops writing, then rejects `result`. */
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
      // This waits because a pipeline that fails early settles while its file is still being opened.
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

/** Ignores a part's errors: a part only fails together with its reader or its file, whose errors are handled. */
function ignore(): void {}

async function rejectAfter(work: Promise<unknown> | undefined, error: ApiError): Promise<never> {
  await Promise.allSettled([work]);
  throw error;
}

const partHeader = z.object({
  'content-disposition': z.tuple([z.string()]),
  'content-type': z.tuple([z.string()]).optional(),
});

/** Parses the headers of a part. A part with malformed headers has no name. */
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
 * Returns the reader's options, some of which are missing from its types. Backpressure of the parts is disabled: the
 * reader would not resume when a part ends between two chunks, so the request is paused here instead.
 */
function readerConfig(boundary: string): Dicer.Config {
  const limits = {
    maxHeaderPairs: 32,
    maxHeaderSize: PART_HEADER_BYTES_MAX,
    partHwm: Number.MAX_SAFE_INTEGER,
  };
  return { boundary, ...limits };
}
