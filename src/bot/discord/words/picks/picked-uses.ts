import type { PickedFile } from '../../../jobs/inputs/inputs.ts';
import type { JobForm } from '../forms/job-form.ts';
import { JOB_FORMS } from '../forms/job-forms.ts';
import { CAPABILITY_NAMES } from '../texts.ts';

/** One thing to do with a file: a job, and as which of its inputs the file goes in. */
export interface PickedUse {
  readonly form: JobForm;
  readonly option: string;
  /** Such as "Photo Swap: as the face". */
  readonly label: string;
}

/** What inputs are called where a member thinks of one file. */
const PARTS: ReadonlyMap<string, string> = new Map([
  ['image', 'picture'],
  ['motion', 'movement'],
  ['audio', 'voice'],
]);

/** Everything that can be done with a file of this kind, in the order of the forms. */
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
