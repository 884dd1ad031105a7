import { extname } from 'node:path';
import type { MediaKind } from '../../base/media-type.ts';
import { ApiError } from '../wire/api-error.ts';

/**
 * The type that an upload declares. Only the kind matters: it determines the limits and the fields that
 * accept the key.
 */
export interface DeclaredType {
  readonly kind: MediaKind;
  readonly mime: string;
}

const MIME = /^(image|audio|video)\/[a-z0-9][a-z0-9!#$&^_.+-]{0,100}$/;
/** SVG is refused, because an SVG file is a document that may contain scripts and external references. */
const REFUSED = new Set(['image/svg+xml']);

const MIME_BY_EXTENSION: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.bmp': 'image/bmp',
  '.tif': 'image/tiff',
  '.tiff': 'image/tiff',
  '.avif': 'image/avif',
  '.heic': 'image/heic',
  '.heif': 'image/heif',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.ogg': 'audio/ogg',
  '.oga': 'audio/ogg',
  '.opus': 'audio/opus',
  '.flac': 'audio/flac',
  '.aac': 'audio/aac',
  '.m4a': 'audio/mp4',
  '.mp4': 'video/mp4',
  '.m4v': 'video/mp4',
  '.mov': 'video/quicktime',
  '.webm': 'video/webm',
  '.mkv': 'video/x-matroska',
  '.avi': 'video/x-msvideo',
  '.mpg': 'video/mpeg',
  '.mpeg': 'video/mpeg',
  '.3gp': 'video/3gpp',
};

/**
 * Returns the type of an upload from the part's Content-Type, or from the filename's extension if there is
 * none. Throws `unsupported_format` if it is not an image, audio or video.
 */
export function declaredType(part: {
  contentType: string | undefined;
  filename: string | undefined;
}): DeclaredType {
  const mime =
    part.contentType === undefined
      ? MIME_BY_EXTENSION[extname(part.filename ?? '').toLowerCase()]
      : part.contentType.split(';', 1)[0]?.trim().toLowerCase();
  const kind = MIME.exec(mime ?? '')?.[1];
  if (!mime || REFUSED.has(mime) || (kind !== 'image' && kind !== 'audio' && kind !== 'video')) {
    throw new ApiError('unsupported_format', 'Only images, audio and video are accepted');
  }
  return { kind, mime };
}
