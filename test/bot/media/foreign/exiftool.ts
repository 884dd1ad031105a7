import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const PROGRAM = join(
  import.meta.dirname,
  '../../../../node_modules/exiftool-vendored.pl/bin',
  process.platform === 'win32' ? 'exiftool.exe' : 'exiftool',
);
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const found: z.ZodType<Record<string, unknown>[]> = z.array(z.record(z.string(), z.unknown()));

/** The metadata that ExifTool reads from a file: values by `group:tag`, such as `IFD0:Orientation`. */
export type Tags = Readonly<Record<string, unknown>>;

/**
 * Returns the metadata that ExifTool reads from each file, in the order of the files. ExifTool knows far more places
 * for metadata than this project does.
 */
export async function readTags(paths: readonly string[]): Promise<readonly Tags[]> {
  // Includes unknown tags and tags between a clip's pictures, and prints numbers as numbers.
  const args = ['-json', '-G1', '-a', '-s', '-n', '-u', '-ee3', ...paths];
  return found.parse(JSON.parse(await output(args)));
}

/**
 * Returns ExifTool's output, even if it does not know a file's type. In that case, it prints only general facts, such
 * as the size.
 */
async function output(args: readonly string[]): Promise<string> {
  try {
    return (await run('perl', [PROGRAM, ...args], { maxBuffer: OUTPUT_BYTES_MAX })).stdout;
  } catch (error) {
    const stdout = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
    if (!stdout.includes('"Unknown file type"')) throw error;
    return stdout;
  }
}

/**
 * Makes ExifTool write tags, such as `IFD0:Make=Apple`, into files. Each file takes the tags that its format supports.
 */
export async function writeTags(paths: readonly string[], tags: readonly string[]): Promise<void> {
  await run('perl', [PROGRAM, '-q', '-m', '-overwrite_original', ...tags.map((tag) => `-${tag}`), ...paths]);
}
