import type { IncomingMessage } from 'node:http';
import { rename, rm } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import { randomId } from '../../base/ids.ts';
import type { WireUpload } from '../../media-api/wire.ts';
import { ApiError } from '../wire/api-error.ts';
import type { Links } from '../files/links.ts';
import type { MediaFiles } from '../files/media-files.ts';
import { receiveFile } from './receive-file.ts';
import type { Database } from '../store/database.ts';
import { insertUpload, keptUploadBytes } from '../store/uploads.ts';
import type { DeclaredType } from './declared-type.ts';

interface UploadsOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly files: MediaFiles;
  readonly links: Links;
  /** The limit for images and for audio. */
  readonly imageBytesMax: number;
  readonly videoBytesMax: number;
  /** The limit for all stored uploads of one account; beyond it, uploads are rejected with `at_capacity`. */
  readonly accountBytesMax: number;
  readonly retentionMs: number;
  /**
   * The largest number of uploads that are received at the same time; beyond it, uploads are rejected with
   * `at_capacity`.
   */
  readonly inFlightMax: number;
}

/**
 * Receives uploads. Each is streamed to a temporary file, which then either becomes an upload with a database row or is
 * deleted.
 */
export class Uploads implements AsyncDisposable {
  readonly #options: UploadsOptions;
  readonly #inFlight = new Set<Promise<WireUpload>>();

  constructor(options: UploadsOptions) {
    this.#options = options;
  }

  async receive(accountId: string, request: IncomingMessage): Promise<WireUpload> {
    const { db, inFlightMax, accountBytesMax } = this.#options;
    if (this.#inFlight.size >= inFlightMax || keptUploadBytes(db, accountId) >= accountBytesMax) {
      throw new ApiError('at_capacity', 'No room for another upload; retry shortly', {
        retryAfterSeconds: 5,
      });
    }
    const upload = this.#receive(accountId, request);
    this.#inFlight.add(upload);
    try {
      return await upload;
    } finally {
      this.#inFlight.delete(upload);
    }
  }

  /** Waits for the uploads in progress. Their connections must already have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#inFlight);
  }

  async #receive(accountId: string, request: IncomingMessage): Promise<WireUpload> {
    const path = this.#options.files.part();
    try {
      const sizeBytesMax = (type: DeclaredType): number => this.#sizeBytesMax(type);
      return await this.#keep(accountId, path, await receiveFile(request, { path, sizeBytesMax }));
    } finally {
      await rm(path, { force: true });
    }
  }

  async #keep(
    accountId: string,
    path: string,
    file: DeclaredType & { sizeBytes: number },
  ): Promise<WireUpload> {
    const { db, clock, files, links, retentionMs } = this.#options;
    const id = randomId('up');
    const createdAt = clock.now();
    const { kind, mime, sizeBytes } = file;
    await rename(path, files.upload(id));
    try {
      insertUpload(db, {
        id,
        accountId,
        kind,
        mime,
        sizeBytes,
        createdAt,
        expiresAt: createdAt + retentionMs,
      });
    } catch (error) {
      await rm(files.upload(id), { force: true });
      throw error;
    }
    return { file_key: `api/${id}`, url: links.sign('uploads', id) };
  }

  #sizeBytesMax(type: DeclaredType): number {
    return type.kind === 'video' ? this.#options.videoBytesMax : this.#options.imageBytesMax;
  }
}
