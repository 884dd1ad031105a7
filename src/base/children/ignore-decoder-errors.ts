/**
 * Keeps a process alive when sound cannot be decoded. mediabunny reports a decoder's error to the reader. When it
 * closes the decoder, it rejects a second time with the same error, which no code can catch. All other uncaught errors
 * end the process as usual. It is safe to call this more than once.
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

/** The name of the errors of node-av. */
const DECODER_ERROR = 'FFmpegError';
