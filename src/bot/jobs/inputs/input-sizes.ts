import { readFile } from 'node:fs/promises';
import type { JobInputRow } from '../../../../db/schema/job-inputs.ts';
import type { InputSize } from '../prices/expected-units.ts';
import { spokenLength } from '../prices/spoken-length.ts';

/** Returns the lengths of a job's fetched inputs, by body field. These lengths determine the length of the result. */
export async function inputSizes(inputs: readonly JobInputRow[]): Promise<ReadonlyMap<string, InputSize>> {
  const sizes = new Map<string, InputSize>();
  for (const input of inputs) sizes.set(input.field, await sizeOf(input));
  return sizes;
}

async function sizeOf({ kind, path, duration_ms: durationMs }: JobInputRow): Promise<InputSize> {
  if (kind === 'text' && path !== null) return { spoken: spokenLength(await readFile(path, 'utf8')) };
  return durationMs === null ? {} : { seconds: durationMs / 1000 };
}
