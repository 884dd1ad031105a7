import { open } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { randomId } from '../base/ids.ts';
import type { StreamedBody } from './exchange.ts';

export interface FilePart {
  readonly path: string;
  readonly sizeBytes: number;
  readonly mime: string;
  /** Without the dot. */
  readonly extension: string;
}

export interface MultipartBody extends StreamedBody {
  readonly contentType: string;
}

const CHUNK_BYTES = 64 * 1024;

/**
 * A form of one part named `file`, read from disk as it is sent: memory use does not depend on its size. Its
 * file name is `upload.<extension>`, never the member's own.
 */
export function multipartFile(file: FilePart): MultipartBody {
  const boundary = randomId('part');
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="upload.${file.extension}"\r\n` +
      `Content-Type: ${file.mime}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  let failure: unknown;
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      yield head;
      yield* readExactly(file.path, file.sizeBytes);
      yield tail;
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  return {
    sizeBytes: head.length + file.sizeBytes + tail.length,
    contentType: `multipart/form-data; boundary=${boundary}`,
    open: read,
    failure: () => failure,
  };
}

async function* readExactly(path: string, sizeBytes: number): AsyncGenerator<Uint8Array> {
  await using handle = await open(path);
  const { size } = await handle.stat();
  if (size !== sizeBytes) throw new RangeError(`Cannot upload a file: ${size} bytes instead of ${sizeBytes}`);
  for (let at = 0; at < sizeBytes;) {
    // A fresh buffer each time: the previous one may still wait in the socket.
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, at);
    if (bytesRead === 0) throw new RangeError('Cannot upload a file: it became shorter');
    at += bytesRead;
    // Lets an early answer be read before the next write fails on a connection that the service closed.
    await setImmediate();
    yield buffer.subarray(0, bytesRead);
  }
}
