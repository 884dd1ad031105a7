import type { Edit } from './edit.ts';

/** What a file holds and how it is rid of metadata, by its structure alone: nothing is decoded. */
export interface Examined {
  readonly edit: Edit;
  /** Of what lasts: never less than what any part of the file claims. Null for pictures. */
  readonly durationSeconds: number | null;
  readonly hasVideo: boolean;
  readonly hasAudio: boolean;
  /** Of the largest video track, as it is stored. */
  readonly size: { readonly width: number; readonly height: number } | null;
}

/** A picture, to be written anew from `pieces`. */
export function pictureOf(edit: Edit): Examined {
  return { edit, durationSeconds: null, hasVideo: false, hasAudio: false, size: null };
}

/** A recording without pictures. */
export function recordingOf(edit: Edit, durationSeconds: number): Examined {
  return { edit, durationSeconds, hasVideo: false, hasAudio: true, size: null };
}
