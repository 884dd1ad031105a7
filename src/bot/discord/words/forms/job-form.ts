import type { Capability } from '../texts.ts';

/** What a job asks of a member: the same for its slash command, the menus, and another try. */
export interface JobForm {
  readonly capability: Capability;
  /** The slash command's name. */
  readonly command: string;
  readonly description: string;
  readonly inputs: readonly FormInput[];
  readonly parameters: readonly FormParameter[];
}

/** A file that the job needs. */
export interface FormInput {
  /** The attachment option's name. */
  readonly option: string;
  /** The API's body field. */
  readonly field: string;
  readonly kind: 'image' | 'audio' | 'video';
  readonly description: string;
  /** One of the member's saved faces can stand in its place. At most one input of a form. */
  readonly takesSavedFace?: true;
}

interface Named {
  readonly option: string;
  /** The API's body field. */
  readonly field: string;
  readonly description: string;
}

/** A value that goes into the request's body; all but the text may be left out. */
export type FormParameter =
  /** One of a few values, all numbers or all texts, as the API wants them. */
  | (Named & { readonly type: 'choice'; readonly choices: readonly number[] | readonly string[] })
  /** Text to type, or to attach as a file in the option `fileOption`. */
  | (Named & { readonly type: 'text'; readonly fileOption: string; readonly lengthMax: number })
  /** A voice of the service's list. */
  | (Named & { readonly type: 'voice' })
  /** A language tag such as `en` or `pt-BR`. */
  | (Named & { readonly type: 'language' });

/** Every form has it: which of the inputs is the newest fitting file of the channel. */
export const NEWEST_OPTION = 'newest';

/** Forms with an input that takes a saved face have it. */
export const SAVED_FACE_OPTION = 'saved_face';

/** The inputs that may be the newest picture or clip of the channel. */
export function newestInputs(form: JobForm): readonly FormInput[] {
  return form.inputs.filter((input) => input.kind !== 'audio');
}
