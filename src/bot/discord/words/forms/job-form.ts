import type { Capability } from '../texts.ts';

/** The inputs and parameters of a job. The slash command, the menus and a retry all use the same form. */
export interface JobForm {
  readonly capability: Capability;
  /** The slash command's name. */
  readonly command: string;
  readonly description: string;
  readonly inputs: readonly FormInput[];
  readonly parameters: readonly FormParameter[];
}

/** A file that a job needs. */
export interface FormInput {
  /** The attachment option's name. */
  readonly option: string;
  /** The name of the field in the API's request body. */
  readonly field: string;
  readonly kind: 'image' | 'audio' | 'video';
  readonly description: string;
  /** Whether one of the member's saved faces can be used instead of a file. At most one input of a form allows this. */
  readonly takesSavedFace?: true;
}

interface Named {
  readonly option: string;
  /** The name of the field in the API's request body. */
  readonly field: string;
  readonly description: string;
}

/** A value for the request body. Only values of the type `text` are required. */
export type FormParameter =
  /** One of a few values, which are all numbers or all strings, as in the API. */
  | (Named & { readonly type: 'choice'; readonly choices: readonly number[] | readonly string[] })
  /** Text that is typed, or attached as a file in the option `fileOption`. */
  | (Named & { readonly type: 'text'; readonly fileOption: string; readonly lengthMax: number })
  /** A voice from the service's list. */
  | (Named & { readonly type: 'voice' })
  /** A language tag such as `en` or `pt-BR`. */
  | (Named & { readonly type: 'language' });

/** The option that selects the input for which the newest suitable file in the channel is used. Every form has it. */
export const NEWEST_OPTION = 'newest';

/** The option that selects a saved face. Every form with an input that accepts a saved face has this option. */
export const SAVED_FACE_OPTION = 'saved_face';

/** Returns the inputs for which the newest picture or video in the channel can be used. */
export function newestInputs(form: JobForm): readonly FormInput[] {
  return form.inputs.filter((input) => input.kind !== 'audio');
}
