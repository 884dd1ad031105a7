import { ServiceError } from '../../base/errors.ts';
import type { MediaKind } from '../../base/media-type.ts';

/** Why a member's file cannot be used; the message to the member depends on it. */
export type MediaProblem =
  | { readonly kind: 'empty' }
  | { readonly kind: 'wrong_type'; readonly expected: MediaKind }
  /**
   * The file is of the right kind, but in a format whose metadata the bot cannot remove; `format` is a name such as
   * `HEIC`.
   */
  | { readonly kind: 'unsupported_format'; readonly expected: MediaKind; readonly format: string }
  | { readonly kind: 'undecodable' }
  /** The file can be played, but different programs may play it for different lengths of time. */
  | { readonly kind: 'unclear_length'; readonly because: UnclearLength }
  /** Inspecting the file takes more memory or time than any ordinary file does. */
  | { readonly kind: 'too_complex' }
  | { readonly kind: 'too_large'; readonly sizeBytes: number; readonly sizeBytesMax: number }
  | { readonly kind: 'too_many_pixels'; readonly megapixels: number; readonly megapixelsMax: number }
  | { readonly kind: 'too_long'; readonly durationSeconds: number; readonly durationSecondsMax: number };

/**
 * Why the length of a file is unclear: an edit list that plays parts several times or at a different speed (`edits`), a
 * clock that differs between parts of the file (`speed`), two descriptions instead of one (`twice`), or sound that the
 * bot cannot measure (`sound`).
 */
type UnclearLength = 'edits' | 'speed' | 'twice' | 'sound';

/** A file cannot be used, for a reason that its owner may see. */
export class MediaError extends ServiceError<MediaProblem['kind']> {
  readonly problem: MediaProblem;

  constructor(problem: MediaProblem, why: string) {
    super(problem.kind, `Cannot use a file: ${why}`);
    this.problem = problem;
  }
}

/** Creates the error for a file whose structure is broken or exceeds what the bot examines. */
export function damaged(why: string): MediaError {
  return new MediaError({ kind: 'undecodable' }, why);
}

/** Creates the error for a file that different programs may play for different lengths of time. */
export function unclearLength(because: UnclearLength, why: string): MediaError {
  return new MediaError({ kind: 'unclear_length', because }, why);
}
