import { MediaApiRefusal } from './errors.ts';
import { type FilePart, multipartFile } from './multipart.ts';
import type { CallOptions, Transport } from './transport.ts';
import { type UploadLimits, uploadBytesMax } from './upload-limits.ts';
import { wireUpload } from './wire.ts';

/** An uploaded file. */
interface Upload {
  /** An opaque key, stored and sent back exactly as received. */
  readonly fileKey: string;
  /** The address of the hosted file. It must never be shown, posted or logged. */
  readonly url: string;
}

const ACTION = 'upload a file';
const ATTEMPTS_MAX = 3;

/** Uploads media from disk. */
export class Uploads {
  readonly #transport: Transport;
  readonly #limits: UploadLimits;

  constructor(transport: Transport, limits: UploadLimits) {
    this.#transport = transport;
    this.#limits = limits;
  }

  /**
   * Uploads the file as a stream. Its `mime` and `extension` must have been detected from its bytes. A file that the
   * service would not accept is rejected before anything is sent. Repeated attempts may leave unused uploads at the
   * service. Throws the file system's error if the file cannot be read, or `RangeError` if its size is not
   * `sizeBytes`.
   */
  async create(file: FilePart, options: CallOptions = {}): Promise<Upload> {
    this.#check(file);
    const body = multipartFile(file);
    return this.#transport.call(
      {
        method: 'POST',
        target: '/uploads',
        action: ACTION,
        headers: { 'content-type': body.contentType },
        body,
        decode: toUpload,
        priority: 'interactive',
        attemptsMax: ATTEMPTS_MAX,
      },
      options,
    );
  }

  #check(file: FilePart): void {
    if (!/^[a-z0-9]{1,10}$/.test(file.extension)) {
      throw new TypeError('Cannot upload a file: its extension is not 1-10 lower-case letters and digits');
    }
    if (file.sizeBytes < 1)
      throw new MediaApiRefusal(ACTION, { status: 400, code: 'invalid_input', local: true });
    const isType = /^[a-z]+\/[a-z0-9.+-]{1,100}$/.test(file.mime);
    const bytesMax = isType ? uploadBytesMax(this.#limits, file.mime) : undefined;
    if (bytesMax === undefined) {
      throw new MediaApiRefusal(ACTION, { status: 400, code: 'unsupported_format', local: true });
    }
    if (file.sizeBytes > bytesMax) {
      throw new MediaApiRefusal(ACTION, { status: 400, code: 'input_too_large', local: true });
    }
  }
}

function toUpload(json: unknown): Upload {
  const { file_key: fileKey, url } = wireUpload.parse(json);
  return { fileKey, url };
}
