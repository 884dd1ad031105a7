/** What a process that tries inputs is told to do. */
export interface Order {
  readonly target: string;
  /** Inputs `from` to, not including, `to` of the campaign with this seed; or the file alone. */
  readonly inputs:
    | { readonly seed: number; readonly from: number; readonly to: number }
    | { readonly path: string };
}

/** What it says. */
export type Report =
  | { readonly say: 'alive' }
  | {
      readonly say: 'found';
      readonly what: string;
      readonly index: number;
      readonly input: string;
      readonly isSmall: boolean;
    }
  | { readonly say: 'done'; readonly tried: number; readonly accepted: number; readonly ms: number };

/** The file in its folder that holds the input that is being tried: the number of the input, then its bytes. */
export const CURRENT_FILE = 'current';
export const CURRENT_HEAD_BYTES = 4;
