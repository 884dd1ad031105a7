import type { InputProblem } from '../../../jobs/inputs/inputs.ts';

/** Why what a member gave does not make a job. Seen before anything is stored. */
export type FormProblem =
  /** Nothing was given for `option`; `ways` are the other options that would do. */
  | {
      readonly kind: 'missing';
      readonly option: string;
      readonly what: 'file' | 'text';
      readonly ways: readonly FormWay[];
    }
  /** These options are all for the same thing. */
  | { readonly kind: 'given_twice'; readonly options: readonly string[] }
  | { readonly kind: 'unknown_face' }
  | { readonly kind: 'unknown_voice' }
  /** The service's list of voices has not come yet. */
  | { readonly kind: 'voices_not_known' }
  /** A value that the option does not offer; `offered` says what it does, in words. */
  | { readonly kind: 'not_offered'; readonly option: string; readonly offered: string }
  /** The file or text itself. */
  | { readonly kind: 'input'; readonly option: string; readonly problem: InputProblem };

/** Another way to give something: an option, with the value to choose if there is just one. */
export interface FormWay {
  readonly option: string;
  readonly value?: string;
}

/** What was read of a form, or why it could not be. */
export type FormReading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: FormProblem };

export function read<T>(value: T): FormReading<T> {
  return { ok: true, value };
}

export function refuse<T>(problem: FormProblem): FormReading<T> {
  return { ok: false, problem };
}
