import { z } from 'zod';
import type { Admitted, MediaLimits } from '../admit.ts';
import type { MediaKind, MediaType } from '../../../base/media-type.ts';
import type { Marked } from '../marks/mark-file.ts';
import { SOURCE_TYPES, type SourceType } from '../marks/source-type.ts';
import type { MediaProblem } from '../media-error.ts';

/** A task for a child, about one file. Tasks contain the paths of files, not their bytes. */
export type MediaTask =
  | {
      readonly what: 'admit';
      readonly path: string;
      readonly kind: MediaKind;
      readonly limits: MediaLimits;
    }
  | { readonly what: 'sniff'; readonly path: string }
  | { readonly what: 'mark'; readonly path: string; readonly mime: string; readonly type: SourceType }
  | { readonly what: 'clean_face'; readonly path: string; readonly toPath: string }
  | { readonly what: 'preview_face'; readonly path: string };

/** The result of a task, unless the file cannot be used. */
export interface MediaAnswers {
  readonly admit: Admitted;
  /** Null if the file is not an image, audio or video. */
  readonly sniff: MediaType | null;
  readonly mark: Marked;
  readonly clean_face: { readonly sizeBytes: number };
  readonly preview_face: { readonly base64: string };
}

const kind = z.enum(['image', 'audio', 'video']);

export const mediaTask: z.ZodType<MediaTask> = z.discriminatedUnion('what', [
  z.object({
    what: z.literal('admit'),
    path: z.string(),
    kind,
    limits: z.object({
      sizeBytesMax: z.number(),
      megapixelsMax: z.number(),
      durationSecondsMax: z.number(),
    }),
  }),
  z.object({ what: z.literal('sniff'), path: z.string() }),
  z.object({ what: z.literal('mark'), path: z.string(), mime: z.string(), type: z.enum(SOURCE_TYPES) }),
  z.object({ what: z.literal('clean_face'), path: z.string(), toPath: z.string() }),
  z.object({ what: z.literal('preview_face'), path: z.string() }),
]);

/** The schemas of a child's answers. The parent accepts an answer only if it matches its schema. */
export const MEDIA_ANSWERS: { readonly [What in keyof MediaAnswers]: z.ZodType<MediaAnswers[What]> } = {
  admit: z.object({
    mime: z.string().max(100),
    extension: z.string().regex(/^[a-z0-9]{1,10}$/),
    sizeBytes: z.int().positive(),
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    durationSeconds: z.number().positive().nullable(),
  }),
  sniff: z
    .object({ kind, mime: z.string().max(100), extension: z.string().regex(/^[a-z0-9]{1,10}$/) })
    .nullable(),
  mark: z.enum(['marked', 'unknown_format', 'damaged']),
  clean_face: z.object({ sizeBytes: z.int().positive() }),
  preview_face: z.object({ base64: z.base64() }),
};

type ProblemSchemas = {
  readonly [Kind in MediaProblem['kind']]: z.ZodType<Extract<MediaProblem, { readonly kind: Kind }>>;
};

const PROBLEMS: ProblemSchemas = {
  empty: z.object({ kind: z.literal('empty') }),
  wrong_type: z.object({ kind: z.literal('wrong_type'), expected: kind }),
  unsupported_format: z.object({
    kind: z.literal('unsupported_format'),
    expected: kind,
    format: z.string().max(20),
  }),
  undecodable: z.object({ kind: z.literal('undecodable') }),
  too_complex: z.object({ kind: z.literal('too_complex') }),
  unclear_length: z.object({
    kind: z.literal('unclear_length'),
    because: z.enum(['edits', 'speed', 'twice', 'sound']),
  }),
  too_large: z.object({ kind: z.literal('too_large'), sizeBytes: z.number(), sizeBytesMax: z.number() }),
  too_many_pixels: z.object({
    kind: z.literal('too_many_pixels'),
    megapixels: z.number(),
    megapixelsMax: z.number(),
  }),
  too_long: z.object({
    kind: z.literal('too_long'),
    durationSeconds: z.number(),
    durationSecondsMax: z.number(),
  }),
};

/** The schema for a problem with the file itself. Such a problem is also a valid answer. */
export const mediaProblem: z.ZodType<MediaProblem> = z.union(Object.values(PROBLEMS));
