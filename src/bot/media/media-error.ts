import { ServiceError } from '../../base/errors.ts';
import type { MediaKind } from '../../base/media-type.ts';

/** Why a member's file cannot be used; part of what the member is told. */
export type MediaProblem =
  | { readonly kind: 'empty' }
  | { readonly kind: 'wrong_type'; readonly expected: MediaKind }
  /** Of the right kind, but its metadata cannot be removed here; `format` is such as `HEIC`. */
  | { readonly kind: 'unsupported_format'; readonly expected: MediaKind; readonly format: string }
  | { readonly kind: 'undecodable' }
  /** The file can be played, but programs disagree on how long it lasts. */
  | { readonly kind: 'unclear_length'; readonly because: UnclearLength }
  /** Inspecting the file takes more memory or time than any usual file does. */
  | { readonly kind: 'too_complex' }
  | { readonly kind: 'too_large'; readonly sizeBytes: number; readonly sizeBytesMax: number }
  | { readonly kind: 'too_many_pixels'; readonly megapixels: number; readonly megapixelsMax: number }
  | { readonly kind: 'too_long'; readonly durationSeconds: number; readonly durationSecondsMax: number };

/**
 * Why the length of a file is unclear: an edit list that plays parts several times or at another speed, a track with
 * its own clock, two descriptions instead of one, or sound of a kind that the bot cannot measure.
 */
type UnclearLength = 'edits' | 'speed' | 'twice' | 'sound';

/** A file cannot be used, for a reason that its owner can be told. */
export class MediaError extends ServiceError<MediaProblem['kind']> {
  readonly problem: MediaProblem;

  constructor(problem: MediaProblem, why: string) {
    super(problem.kind, `Cannot use a file: ${why}`);
    this.problem = problem;
  }
}

/** The error for a file whose structure is broken, or is more than is looked into. */
export function damaged(why: string): MediaError {
  return new MediaError({ kind: 'undecodable' }, why);
}

/** Creates the error for a file that different programs may play with different lengths. */
export function unclearLength(because: UnclearLength, why: string): MediaError {
  return new MediaError({ kind: 'unclear_length', because }, why);
}
