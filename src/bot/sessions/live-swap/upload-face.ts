import { rm, stat } from 'node:fs/promises';
import { MediaError } from '../../media/media-error.ts';
import type { MediaPool } from '../../media/pool/media-pool.ts';
import type { MediaApi } from '../../../media-api/media-api.ts';
import { LiveSwapError } from './live-swap-error.ts';
import { FACE_BYTES_MAX } from './live-swap-limits.ts';
import type { InputFetcher } from '../../jobs/inputs/input-fetcher.ts';
import type { SavedFaces } from '../../jobs/inputs/saved-faces.ts';

/** A face that the member may use. */
export type ChosenFace =
  | { readonly from: 'saved'; readonly faceId: string; readonly name: string }
  | { readonly from: 'file'; readonly url: string };

export interface FaceUploadOptions {
  readonly api: Pick<MediaApi, 'uploads'>;
  readonly savedFaces: SavedFaces;
  readonly fetcher: InputFetcher;
  readonly media: Pick<MediaPool, 'admit'>;
  /** Returns the path at which a file with this name arrives. Files left there by a crash are removed later. */
  readonly arrivalPath: (name: string) => string;
  readonly megapixelsMax: number;
}

/**
 * Uploads a face to the service and returns its `file_key`. A picture from the chat is deleted from the bot's disk
 * afterwards. Throws `LiveSwapError` or upload errors.
 */
export async function uploadFace(
  face: ChosenFace,
  of: { readonly userId: string; readonly sessionId: string },
  options: FaceUploadOptions,
  signal: AbortSignal,
): Promise<string> {
  const { api, savedFaces, arrivalPath } = options;
  if (face.from === 'saved') {
    const path = await savedFaces.pathOf(face.faceId, of.userId);
    const sizeBytes =
      path === null
        ? 0
        : await stat(path).then(
            ({ size }) => size,
            () => 0,
          );
    if (path === null || sizeBytes === 0) throw new LiveSwapError('face_gone');
    const file = { path, sizeBytes, mime: 'image/jpeg', extension: 'jpg' };
    return (await api.uploads.create(file, { signal, priority: 'interactive' })).fileKey;
  }
  const path = arrivalPath(of.sessionId);
  try {
    const file = { path, ...(await fetchPicture(face.url, path, options, signal)) };
    return (await api.uploads.create(file, { signal, priority: 'interactive' })).fileKey;
  } finally {
    await rm(path, { force: true });
  }
}

/** Fetches a picture, checks its bytes, and removes metadata that could reveal something about the member. */
async function fetchPicture(
  url: string,
  toPath: string,
  { fetcher, media, megapixelsMax }: FaceUploadOptions,
  signal: AbortSignal,
): Promise<{ readonly mime: string; readonly extension: string; readonly sizeBytes: number }> {
  try {
    await fetcher.fetch({ url, toPath, sizeBytesMax: FACE_BYTES_MAX }, signal);
  } catch (error) {
    throw signal.aborted ? signal.reason : new LiveSwapError('face_unavailable', error);
  }
  try {
    const limits = { sizeBytesMax: FACE_BYTES_MAX, megapixelsMax, durationSecondsMax: 0 };
    const { mime, extension, sizeBytes } = await media.admit(toPath, 'image', limits, signal);
    return { mime, extension, sizeBytes };
  } catch (error) {
    throw error instanceof MediaError ? new LiveSwapError('face_unusable', error) : error;
  }
}
