/** Largest sum of the files of one request, in bytes. */
export const REQUEST_SIZE_BYTES_MAX: number = 25 * 1024 * 1024;
/** Largest file without boosts, in bytes. */
export const FILE_SIZE_BYTES_DEFAULT: number = 10 * 1024 * 1024;
/** Most files of one message. */
export const FILES_MAX = 10;
