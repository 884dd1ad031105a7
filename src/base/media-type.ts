import { fileTypeFromBuffer, fileTypeFromFile } from 'file-type';

export type MediaKind = 'image' | 'audio' | 'video';

/** The type of a file, detected from its bytes. */
export interface MediaType {
  readonly kind: MediaKind;
  /** For example `image/jpeg`. */
  readonly mime: string;
  /** The matching file name extension without the dot. */
  readonly extension: string;
}

/**
 * Returns the media type of a file on disk from its first bytes, or `undefined` for anything other than images, audio
 * and video.
 */
export async function sniffFile(path: string): Promise<MediaType | undefined> {
  return toMediaType(await fileTypeFromFile(path));
}

/** Does the same as `sniffFile` for bytes in memory. The first 4,100 bytes suffice. */
export async function sniffBytes(bytes: Uint8Array): Promise<MediaType | undefined> {
  return toMediaType(await fileTypeFromBuffer(bytes));
}

/** Returns the kind of a MIME type such as `image/png`, or `undefined` if it is not image, audio or video. */
export function kindOfMime(mime: string): MediaKind | undefined {
  const [kind] = mime.split('/', 1);
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : undefined;
}

function toMediaType(found: { ext: string; mime: string } | undefined): MediaType | undefined {
  const kind = found && kindOfMime(found.mime);
  if (!found || !kind) return undefined;
  return { kind, mime: found.mime, extension: found.ext };
}
