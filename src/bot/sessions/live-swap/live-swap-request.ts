/** The chosen face: a saved one, or a picture that was posted in the chat. */
export type RequestedFace =
  | { readonly from: 'saved'; readonly nameOrId: string }
  | { readonly from: 'file'; readonly url: string; readonly sizeBytes: number };

/** The requested session: its length in minutes, from 1 to 240, and the face or prompt. */
export interface LiveSwapRequest {
  readonly minutes: number;
  readonly prompt?: string | undefined;
  readonly face?: RequestedFace | undefined;
}
