/** An order to a process that tries inputs. */
export interface Order {
  readonly target: string;
  /**
   * The inputs from `from` up to, but not including, `to` of the campaign with this seed; or a single file.
   */
  readonly inputs:
    | { readonly seed: number; readonly from: number; readonly to: number }
    | { readonly path: string };
}

/** A message from a process that tries inputs. */
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

/** The name of the file that contains the input that is being tried: its number, then its bytes. */
export const CURRENT_FILE = 'current';
export const CURRENT_HEAD_BYTES = 4;
