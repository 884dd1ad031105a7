/** The documented limits of the fields of a job submission. */

/**
 * The maximum length of `script`. The API does not name the unit. We count UTF-16 code units, because a text
 * never has fewer of them than code points, so the limit is met in either unit.
 */
export const SCRIPT_LENGTH_MAX = 5_000;

/** Values of `output_resolution_p` for Video Swap, Avatar and Lip Sync. */
export const RESOLUTIONS_P: readonly number[] = [480, 720, 1080];

/** Values of `resolution` for Identity Swap. */
export const RESOLUTIONS: readonly string[] = ['1k', '2k'];
