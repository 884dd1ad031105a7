/**
 * Lets a process outlive sound that cannot be decoded. mediabunny gives the error of a decoder to the reader, and
 * rejects once more with the same error when it closes the decoder, where nothing can catch it. All other errors that
 * nothing catches end the process, as usual. It does no harm to call it again.
 */
export function outliveDecoderErrors(): void {
  if (!process.listeners('unhandledRejection').includes(ignoreDecoderError)) {
    process.on('unhandledRejection', ignoreDecoderError);
  }
}

function ignoreDecoderError(reason: unknown): void {
  if (reason instanceof Error && reason.name === DECODER_ERROR) return;
  throw reason;
}

/** The name of the errors of node-av. */
const DECODER_ERROR = 'FFmpegError';
