import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const PROGRAM = join(
  import.meta.dirname,
  '../../../node_modules/exiftool-vendored.pl/bin',
  process.platform === 'win32' ? 'exiftool.exe' : 'exiftool',
);
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const found: z.ZodType<Record<string, unknown>[]> = z.array(z.record(z.string(), z.unknown()));

/** What ExifTool reads out of a file: values by `group:tag`, such as `IFD0:Orientation`. */
export type Tags = Readonly<Record<string, unknown>>;

/** What ExifTool reads out of each file, in their order: it knows far more places for metadata than this project. */
export async function readTags(paths: readonly string[]): Promise<readonly Tags[]> {
  // Also unknown tags, those behind the pictures of a clip, and numbers as numbers.
  const args = ['-json', '-G1', '-a', '-s', '-n', '-u', '-ee3', ...paths];
  return found.parse(JSON.parse(await output(args)));
}

/** What it prints, also where it does not know the type of a file: then it tells only what every file has. */
async function output(args: readonly string[]): Promise<string> {
  try {
    return (await run('perl', [PROGRAM, ...args], { maxBuffer: OUTPUT_BYTES_MAX })).stdout;
  } catch (error) {
    const stdout = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
    if (!stdout.includes('"Unknown file type"')) throw error;
    return stdout;
  }
}

/** Lets ExifTool write tags, such as `IFD0:Make=Apple`, into files: each takes those that it has a place for. */
export async function writeTags(paths: readonly string[], tags: readonly string[]): Promise<void> {
  await run('perl', [PROGRAM, '-q', '-m', '-overwrite_original', ...tags.map((tag) => `-${tag}`), ...paths]);
}
