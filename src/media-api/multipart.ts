import { type FileHandle, open } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { randomId } from '../base/ids.ts';
import type { StreamedBody } from './exchange.ts';

export interface FilePart {
  readonly path: string;
  readonly sizeBytes: number;
  readonly mime: string;
  /** The file name extension without the dot. */
  readonly extension: string;
}

interface MultipartBody extends StreamedBody {
  readonly contentType: string;
}

const CHUNK_BYTES = 256 * 1024;

/**
 * Returns a form with one part named `file`, which is read from disk while it is sent, so memory use does not depend on
 * the file's size. The part's file name is `upload.<extension>`, never the member's own file name.
 */
export function multipartFile(file: FilePart): MultipartBody {
  const boundary = randomId('part');
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="upload.${file.extension}"\r\n` +
      `Content-Type: ${file.mime}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  let failure: unknown;
  const noting = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      failure = error;
      throw error;
    });
  async function* read(): AsyncGenerator<Uint8Array> {
    // The file is opened before anything is yielded, so nothing is sent to the service if the file cannot be read.
    await using handle = await noting(openExactly(file));
    yield head;
    for (let at = 0; at < file.sizeBytes;) {
      const chunk = await noting(readChunk(handle, at, file.sizeBytes));
      at += chunk.length;
      // The service may answer early and close the connection. This pause gives the client time to read such an answer
      // before the next write fails.
      await setImmediate();
      yield chunk;
    }
    yield tail;
  }
  return {
    sizeBytes: head.length + file.sizeBytes + tail.length,
    contentType: `multipart/form-data; boundary=${boundary}`,
    open: read,
    failure: () => failure,
  };
}

async function openExactly({ path, sizeBytes }: FilePart): Promise<FileHandle> {
  const handle = await open(path);
  const { size } = await handle.stat();
  if (size === sizeBytes) return handle;
  await handle.close();
  throw new RangeError(`Cannot upload a file: ${size} bytes instead of ${sizeBytes}`);
}

async function readChunk(handle: FileHandle, at: number, endAt: number): Promise<Uint8Array> {
  // Each chunk needs a new buffer, because the previous one may still be waiting in the socket.
  const length = Math.min(CHUNK_BYTES, endAt - at);
  const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, at);
  if (bytesRead === 0) throw new RangeError('Cannot upload a file: it became shorter');
  return buffer.subarray(0, bytesRead);
}
