import type { PickedFile } from '../../../jobs/inputs/inputs.ts';
import { type PickedUse, usesOf } from './picked-uses.ts';
import type { Picks } from '../../../jobs/intake/picks.ts';
import type { Picker } from '../../../jobs/call-origin.ts';

/** Identifies one file in a pick. */
export interface PickPlace {
  readonly id: string;
  readonly index: number;
}

/** A file that a member picked, and its intended use. */
interface ChosenUse {
  readonly pick: PickPlace;
  readonly file: PickedFile;
  readonly use: PickedUse;
}

/** Returns the arguments for a button or form about one use of one picked file. */
export function useArgs({ id, index }: PickPlace, { form, option }: PickedUse): readonly string[] {
  return [id, String(index), form.capability, option];
}

/**
 * Finds the use that arguments from `useArgs` describe; returns `undefined` if the pick is gone or belongs to another
 * member.
 */
export async function findUse(
  by: Picker,
  [id = '', index = '', capability, option]: readonly string[],
  picks: Pick<Picks, 'find'>,
): Promise<ChosenUse | undefined> {
  const pick = { id, index: Number(index) };
  const file = (await picks.find(by, id))?.[pick.index];
  const uses = file ? usesOf(file.kind) : [];
  const use = uses.find((other) => other.form.capability === capability && other.option === option);
  return file && use && { pick, file, use };
}
