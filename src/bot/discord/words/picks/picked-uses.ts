import type { PickedFile } from '../../../jobs/inputs/inputs.ts';
import type { JobForm } from '../forms/job-form.ts';
import { JOB_FORMS } from '../forms/job-forms.ts';
import { CAPABILITY_NAMES } from '../texts.ts';

/** One use of a file: a job, and the job's input for which the file is used. */
export interface PickedUse {
  readonly form: JobForm;
  readonly option: string;
  /** Text such as "Photo Swap: as the face". */
  readonly label: string;
}

/** The name of each input in a use's label. */
const PARTS: ReadonlyMap<string, string> = new Map([
  ['image', 'picture'],
  ['motion', 'movement'],
  ['audio', 'voice'],
]);

/** Returns all uses of a file of this kind, in the order of the forms. */
export function usesOf(kind: PickedFile['kind']): readonly PickedUse[] {
  return Object.values(JOB_FORMS).flatMap((form) =>
    form.inputs
      .filter((input) => input.kind === kind)
      .map(({ option }) => ({
        form,
        option,
        label: `${CAPABILITY_NAMES[form.capability]}: as the ${PARTS.get(option) ?? option}`,
      })),
  );
}
