import { rename, rm, stat } from 'node:fs/promises';
import { type MediaKind, sniffFile } from '../../base/media-type.ts';
import { hashFile, patchFile, rebuildFile } from './edit.ts';
import type { Examined } from './examined.ts';
import { FORMATS, type Format } from './formats.ts';
import { MediaError, damaged } from './media-error.ts';
import { MediaSource } from './media-source.ts';
import { checkPicture } from './check-picture.ts';

/** The limits for files of each kind. */
export interface MediaLimits {
  readonly sizeBytesMax: number;
  readonly megapixelsMax: number;
  readonly durationSecondsMax: number;
}

/** A file that passed the check: its type, determined from its bytes, and the size and SHA-256 of the cleaned bytes. */
export interface Admitted {
  readonly mime: string;
  readonly extension: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  /** The length; null for pictures. */
  readonly durationSeconds: number | null;
}

/**
 * Checks the file at `path` and removes everything that reveals something about its owner (places, dates, devices,
 * text). Pictures, video and sound stay as they are, bit for bit. Throws `MediaError` if the file is not of `kind`, is
 * damaged, exceeds the limits or cannot be cleaned; such a file must not be used.
 */
export async function admit(
  path: string,
  kind: MediaKind,
  limits: MediaLimits,
  signal: AbortSignal,
): Promise<Admitted> {
  const { size } = await stat(path);
  if (size === 0) throw new MediaError({ kind: 'empty' }, 'it is empty');
  if (size > limits.sizeBytesMax) {
    throw new MediaError(
      { kind: 'too_large', sizeBytes: size, sizeBytesMax: limits.sizeBytesMax },
      'it is too large',
    );
  }
  const format = await formatOf(path, kind);
  const examined = await examine(path, format);
  const type = typeFor(kind, format, examined);
  checkDuration(kind, examined, limits);
  await clean(path, examined, signal);
  if (kind === 'image') await demandPicture(path, limits);
  else await demandSame(path, format, examined);
  return {
    mime: type.mime,
    extension: type.extension,
    sizeBytes: (await stat(path)).size,
    sha256: await hashFile(path, signal),
    durationSeconds: examined.durationSeconds,
  };
}

async function formatOf(path: string, kind: MediaKind): Promise<Format> {
  const type = await sniffFile(path);
  const format = type && FORMATS.get(type.extension);
  if (format) return format;
  if (type?.kind !== kind) throw wrongType(kind);
  const name = type.extension.toUpperCase();
  throw new MediaError({ kind: 'unsupported_format', expected: kind, format: name }, `it is ${name}`);
}

async function examine(path: string, format: Format): Promise<Examined> {
  await using source = await MediaSource.open(path);
  return await format.examine(source);
}

/** Returns the type to use; a container without video counts as a sound recording. */
function typeFor(
  kind: MediaKind,
  format: Format,
  { hasVideo, hasAudio }: Examined,
): { readonly mime: string; readonly extension: string } {
  if (kind === 'audio' && format.asSound && hasAudio && !hasVideo) return format.asSound;
  if (format.kind !== kind || (kind === 'video' && !hasVideo) || (kind === 'audio' && !hasAudio)) {
    throw wrongType(kind);
  }
  return format;
}

function checkDuration(kind: MediaKind, { durationSeconds }: Examined, limits: MediaLimits): void {
  if (kind === 'image') return;
  if (durationSeconds === null || !(durationSeconds > 0)) throw damaged('its duration is zero');
  const { durationSecondsMax } = limits;
  if (durationSeconds <= durationSecondsMax) return;
  throw new MediaError({ kind: 'too_long', durationSeconds, durationSecondsMax }, 'it lasts too long');
}

async function clean(path: string, { edit }: Examined, signal: AbortSignal): Promise<void> {
  if (edit.how === 'patch') return patchFile(path, edit.patches, signal);
  const toPath = `${path}.clean`;
  try {
    await rebuildFile({ fromPath: path, toPath }, edit.pieces, signal);
    await rename(toPath, path);
  } catch (error) {
    await rm(toPath, { force: true });
    throw error;
  }
}

/**
 * Measures the cleaned file once more. If its length differs, cleaning removed data that also determines the length, so
 * the first measurement is worthless. Honest files have no such data.
 */
async function demandSame(path: string, format: Format, first: Examined): Promise<void> {
  const { durationSeconds, hasVideo, hasAudio } = await examine(path, format);
  const isSame =
    durationSeconds === first.durationSeconds && hasVideo === first.hasVideo && hasAudio === first.hasAudio;
  if (!isSame) throw damaged('its length changed when it was cleaned');
}

async function demandPicture(path: string, { megapixelsMax }: MediaLimits): Promise<void> {
  const problem = await checkPicture(path, megapixelsMax);
  if (problem) throw new MediaError(problem, 'its picture cannot be used');
}

function wrongType(expected: MediaKind): MediaError {
  return new MediaError({ kind: 'wrong_type', expected }, `it is not of the kind "${expected}"`);
}
