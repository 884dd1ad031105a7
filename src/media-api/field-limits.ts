/** What the API documents of the fields of submits. */

/** Characters of `script`; the unit is not told, so the stricter one counts: UTF-16, never fewer than code points. */
export const SCRIPT_LENGTH_MAX = 5_000;

/** `output_resolution_p` of Video Swap, Avatar and Lip Sync. */
export const RESOLUTIONS_P: readonly number[] = [480, 720, 1080];

/** `resolution` of Identity Swap. */
export const RESOLUTIONS: readonly string[] = ['1k', '2k'];
