/** The properties of a clip that must be made smaller. */
interface ClipFacts {
  readonly durationSeconds: number;
  readonly width: number;
  readonly height: number;
  /** Pictures per second. */
  readonly frameRate: number;
  /** The sound's bits per second. The sound is kept as it is. */
  readonly soundBitrate: number;
}

/** How to encode the pictures of the clip. */
export interface ClipPlan {
  /** Bits per second. */
  readonly bitrate: number;
  /** In pixels; never longer than in the original. */
  readonly shorterSide: number;
}

const SIDES: readonly number[] = [1_440, 1_080, 720, 540, 480, 360];
/** Below this rate, faces encoded in H.264 are visibly distorted. */
const BITS_PER_PIXEL_MIN = 0.045;
/**
 * The share of the size that remains after allowing for container overhead and for an encoder that exceeds its rate.
 */
const MARGIN = 0.93;
const FRAME_RATE_USUAL = 30;

/**
 * Plans the largest picture size that still looks good at the bit rate for which the clip fits into `bytesMax`; returns
 * `undefined` if there is none.
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
