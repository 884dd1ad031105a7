import type { Clock } from '../../base/clock.ts';
import { randomId } from '../../base/ids.ts';
import { contentTypeByName } from '../chat/attachment.ts';
import type { FileInput } from '../script/resolved-data.ts';
import type { PageUpload } from './use-views.ts';

const LIFETIME_MS = 15 * 60_000;
const BYTES_MAX = 256 * 1024 * 1024;
const UPLOADS_MAX = 100;

interface Upload {
  readonly file: FileInput;
  readonly untilMs: number;
}

/** Files that pages uploaded for later use in commands, forms and messages: at most 100, for 15 minutes. */
export class Uploads {
  readonly #clock: Clock;
  readonly #uploads = new Map<string, Upload>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Stores a file. If there are too many files, the oldest are deleted. */
  keep(name: string, bytes: Uint8Array): PageUpload {
    const id = randomId('upload');
    this.#uploads.set(id, { file: { name, bytes }, untilMs: this.#clock.monotonic() + LIFETIME_MS });
    this.#forget();
    return { upload_id: id, name, content_type: contentTypeByName(name), size: bytes.byteLength };
  }

  /** Returns a file. Throws if the id is unknown or has expired. */
  open(id: string): FileInput {
    this.#forget();
    const upload = this.#uploads.get(id);
    if (!upload) throw new Error('Cannot find the uploaded file: please choose it again');
    return upload.file;
  }

  #forget(): void {
    let bytes = [...this.#uploads.values()].reduce((sum, { file }) => sum + file.bytes.byteLength, 0);
    for (const [id, { file, untilMs }] of this.#uploads) {
      const isSurplus = this.#uploads.size > UPLOADS_MAX || bytes > BYTES_MAX;
      if (!isSurplus && untilMs > this.#clock.monotonic()) return;
      this.#uploads.delete(id);
      bytes -= file.bytes.byteLength;
    }
  }
}
