/** Samples per second of everything that is played. */
export const RATE_HZ = 48_000;
/** Samples per millisecond. */
export const MS = 48;
/** A frame is played in each tick. */
export const FRAME_MS = 20;
/** Samples in which one sound takes over from another without a click. */
export const FADE: number = 2.5 * MS;
/** Pieces that arrive may be this long. */
export const PIECE_MS_MAX = 6000;
/** The most speech that waits. */
export const QUEUE_MS_MAX: number = PIECE_MS_MAX + 500;
