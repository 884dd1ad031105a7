import type { ServiceError } from '../../../base/errors.ts';
import type { InputProblem } from './inputs.ts';

/** How the pipeline gets a command's input files. Implemented in `src/bot/discord/wire/attachment-fetcher.ts`. */
export interface InputFetcher {
  /**
   * Downloads `url` into the file `toPath`, which is there whole or not at all; an older file of that name
   * is replaced. Tries again by itself within a deadline. Throws `InputFetchFailure`, or the signal's reason.
   */
  fetch(
    request: { readonly url: string; readonly toPath: string; readonly sizeBytesMax: number },
    signal: AbortSignal,
  ): Promise<{ readonly sizeBytes: number; readonly sha256: string }>;
}

/** A file could not be had: a `ServiceError` that also holds what to tell the member. */
export interface InputFetchFailure extends ServiceError<'unavailable' | 'too_large' | 'empty'> {
  readonly problem: InputProblem;
  /** Another try may bring it. */
  readonly retryable: boolean;
}
