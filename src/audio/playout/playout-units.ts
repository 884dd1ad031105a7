/** The sample rate of all sound that is played. */
export const RATE_HZ = 48_000;
/** Samples per millisecond. */
export const MS = 48;
/** The length of a frame in milliseconds. One frame is played per tick. */
export const FRAME_MS = 20;
/** The number of samples in a cross-fade that avoids a click. */
export const FADE: number = 2.5 * MS;
/** The longest piece that may arrive, in milliseconds. */
export const PIECE_MS_MAX = 6000;
/** The maximum amount of speech that may wait, in milliseconds. */
export const QUEUE_MS_MAX: number = PIECE_MS_MAX + 500;
