import type { FrameTranslator, LiveFrameCodec } from './live-frame-codec.ts';

const PROMPT_LENGTH_MAX = 2_000;
/** A smaller file has no room for a header, tables and image data. */
const JPEG_BYTES_MIN = 100;

/**
 * The codec of Masquerade's own media server: one JPEG per binary message in both directions. Prompts refer to an
 * uploaded file by its key.
 */
export const jpegCodec: LiveFrameCodec = {
  name: 'jpeg',
  promptWithFace(prompt, fileKey) {
    const worn = `Wear the face in ${fileKey}`;
    const whole = prompt === undefined ? worn : `${prompt}. ${worn}`;
    return whole.length <= PROMPT_LENGTH_MAX ? whole : undefined;
  },
  open: () => unchanged,
};

const unchanged: FrameTranslator = {
  // The service ends the session if it receives anything other than a JPEG.
  toService: (jpeg) => (isJpeg(jpeg) ? jpeg : null),
  toPage: (message) => (isJpeg(message) ? message : null),
};

/** Checks only the first and the last bytes. */
function isJpeg(bytes: Buffer): boolean {
  const { length } = bytes;
  return (
    length >= JPEG_BYTES_MIN &&
    bytes[0] === 0xff &&
    bytes[1] === 0xd8 &&
    bytes[2] === 0xff &&
    bytes[length - 2] === 0xff &&
    bytes[length - 1] === 0xd9
  );
}
