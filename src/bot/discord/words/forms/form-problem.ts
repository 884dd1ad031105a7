import type { InputProblem } from '../../../jobs/inputs/inputs.ts';

/** Why a member's input cannot become a job. Such problems are found before anything is stored. */
export type FormProblem =
  /** `option` has no value; `ways` are the other options that could provide one. */
  | {
      readonly kind: 'missing';
      readonly option: string;
      readonly what: 'file' | 'text';
      readonly ways: readonly FormWay[];
    }
  /** Several of these options have values, but they exclude each other. */
  | { readonly kind: 'given_twice'; readonly options: readonly string[] }
  | { readonly kind: 'unknown_face' }
  | { readonly kind: 'unknown_voice' }
  /** The service has not sent its list of voices yet. */
  | { readonly kind: 'voices_not_known' }
  /** The option does not offer the value; `offered` describes the possible values. */
  | { readonly kind: 'not_offered'; readonly option: string; readonly offered: string }
  /** The file or text itself has a problem. */
  | { readonly kind: 'input'; readonly option: string; readonly problem: InputProblem };

/** Another way to provide an input: an option and, if only one value fits, that value. */
export interface FormWay {
  readonly option: string;
  readonly value?: string;
}

/** The result of reading a form: a value, or a problem. */
export type FormReading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: FormProblem };

export function read<T>(value: T): FormReading<T> {
  return { ok: true, value };
}

export function refuse<T>(problem: FormProblem): FormReading<T> {
  return { ok: false, problem };
}
