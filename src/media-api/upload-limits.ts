/** The largest upload of each kind in bytes. */
export interface UploadLimits {
  readonly imageBytesMax: number;
  readonly audioBytesMax: number;
  readonly videoBytesMax: number;
}

const MEBIBYTE = 1024 * 1024;

/**
 * The documented "45 MB" and "500 MB" in their larger, binary meaning. A file that is too large only for the decimal
 * meaning is sent, and the service decides.
 */
export const UPLOAD_LIMITS: UploadLimits = {
  imageBytesMax: 45 * MEBIBYTE,
  audioBytesMax: 45 * MEBIBYTE,
  videoBytesMax: 500 * MEBIBYTE,
};

/** Returns the limit for a media type such as `image/png`, or undefined if it is not an image, audio or video type. */
export function uploadBytesMax(limits: UploadLimits, mime: string): number | undefined {
  if (mime.startsWith('image/')) return limits.imageBytesMax;
  if (mime.startsWith('audio/')) return limits.audioBytesMax;
  return mime.startsWith('video/') ? limits.videoBytesMax : undefined;
}
