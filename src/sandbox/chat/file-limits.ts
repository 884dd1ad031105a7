/** The maximum total size of the files in one request, in bytes. */
export const REQUEST_SIZE_BYTES_MAX: number = 25 * 1024 * 1024;
/** The maximum size of a file in a guild without boosts, in bytes. */
export const FILE_SIZE_BYTES_DEFAULT: number = 10 * 1024 * 1024;
/** The maximum number of files in one message. */
export const FILES_MAX = 10;
