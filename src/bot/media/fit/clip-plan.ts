/** The properties of a clip that must be made smaller. */
interface ClipFacts {
  readonly durationSeconds: number;
  readonly width: number;
  readonly height: number;
  /** Frames per second. */
  readonly frameRate: number;
  /** The sound's bits per second. The sound is kept as it is. */
  readonly soundBitrate: number;
}

/** How to encode the clip's video. */
export interface ClipPlan {
  /** The video's bits per second. */
  readonly bitrate: number;
  /** The length of the shorter side in pixels; never longer than in the original. */
  readonly shorterSide: number;
}

const SIDES: readonly number[] = [1_440, 1_080, 720, 540, 480, 360];
/** Below this number of bits per pixel, faces encoded in H.264 are visibly distorted. */
const BITS_PER_PIXEL_MIN = 0.045;
/**
 * The share of the size that is planned for; the rest is for container overhead and an encoder that exceeds its bit
 * rate.
 */
const MARGIN = 0.93;
const FRAME_RATE_USUAL = 30;

/**
 * Plans the largest frame size that still looks good at the bit rate at which the clip fits into `bytesMax`. Returns
 * `undefined` if no frame size looks good at that bit rate.
 */
export function planClip(facts: ClipFacts, bytesMax: number): ClipPlan | undefined {
  const { durationSeconds, width, height, soundBitrate } = facts;
  if (!(durationSeconds > 0) || width < 1 || height < 1) return undefined;
  const bitrate = Math.floor((bytesMax * 8 * MARGIN) / durationSeconds - soundBitrate);
  const shorter = Math.min(width, height);
  const own = shorter - (shorter % 2);
  for (const shorterSide of [own, ...SIDES.filter((side) => side < own)]) {
    const longerSide = (Math.max(width, height) / shorter) * shorterSide;
    const pixelsPerSecond = shorterSide * longerSide * (facts.frameRate || FRAME_RATE_USUAL);
    if (bitrate >= pixelsPerSecond * BITS_PER_PIXEL_MIN) return { bitrate, shorterSide };
  }
  return undefined;
}
