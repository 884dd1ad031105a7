/**
 * Keeps a process alive when sound cannot be decoded. mediabunny reports a decoder's error to the reader. When
 * mediabunny then closes the decoder, a second promise is rejected with the same error, and no code can catch that. All
 * other uncaught errors end the process as usual. It is safe to call this more than once.
 */
export function ignoreDecoderErrors(): void {
  if (!process.listeners('unhandledRejection').includes(ignoreIfDecoderError)) {
    process.on('unhandledRejection', ignoreIfDecoderError);
  }
}

function ignoreIfDecoderError(reason: unknown): void {
  if (reason instanceof Error && reason.name === DECODER_ERROR) return;
  throw reason;
}

/** The name of node-av's errors. */
const DECODER_ERROR = 'FFmpegError';
