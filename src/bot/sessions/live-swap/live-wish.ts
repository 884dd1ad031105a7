/** Whose face: one that the member saved, or that in a picture in the chat. */
export type FaceWish =
  | { readonly from: 'saved'; readonly nameOrId: string }
  | { readonly from: 'file'; readonly url: string; readonly sizeBytes: number };

/** For how long, in minutes from 1 to 240, and what is to be worn. */
export interface LiveWish {
  readonly minutes: number;
  readonly prompt?: string | undefined;
  readonly face?: FaceWish | undefined;
}
