import type { ServiceError } from '../../../base/errors.ts';
import type { InputProblem } from './inputs.ts';

/** Downloads a command's input files. Implemented in `src/bot/discord/wire/attachment-fetcher.ts`. */
export interface InputFetcher {
  /**
   * Downloads `url` to the file `toPath`, which exists afterwards either completely or not at all. An existing file at
   * that path is replaced. Failed attempts are repeated until a deadline. Throws `InputFetchFailure`, or the signal's
   * reason.
   */
  fetch(
    request: { readonly url: string; readonly toPath: string; readonly sizeBytesMax: number },
    signal: AbortSignal,
  ): Promise<void>;
}

/** A file cannot be downloaded. `problem` is the reason shown to the member. */
export interface InputFetchFailure extends ServiceError<'unavailable' | 'too_large' | 'empty'> {
  readonly problem: InputProblem;
  /** Whether another attempt may succeed. */
  readonly retryable: boolean;
}
