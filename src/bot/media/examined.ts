import type { Edit } from './edit.ts';

/**
 * The contents of a file and the edit that removes its metadata, derived from its structure alone; nothing is
 * decoded.
 */
export interface Examined {
  readonly edit: Edit;
  /** The longest duration that any part of the file claims. Null for pictures. */
  readonly durationSeconds: number | null;
  readonly hasVideo: boolean;
  readonly hasAudio: boolean;
  /** The size of the largest video track in pixels, as stored in the file. */
  readonly size: { readonly width: number; readonly height: number } | null;
}

/** Describes a picture that `edit` cleans. */
export function pictureOf(edit: Edit): Examined {
  return { edit, durationSeconds: null, hasVideo: false, hasAudio: false, size: null };
}

/** Describes a sound recording. */
export function recordingOf(edit: Edit, durationSeconds: number): Examined {
  return { edit, durationSeconds, hasVideo: false, hasAudio: true, size: null };
}
