/** The points of an eye's lids from outer to inner corner. Points with the same index are aligned vertically. */
export interface Eyelids {
  readonly corners: readonly [outer: number, inner: number];
  /** The fold above the upper lid, which moves with it. */
  readonly crease: readonly number[];
  /** The edges of the lids, without the corners. */
  readonly upper: readonly number[];
  readonly lower: readonly number[];
}

/** Left and right are the viewer's. */
export const LEFT_LIDS: Eyelids = {
  corners: [33, 133],
  crease: [247, 30, 29, 27, 28, 56, 190],
  upper: [246, 161, 160, 159, 158, 157, 173],
  lower: [7, 163, 144, 145, 153, 154, 155],
};
export const RIGHT_LIDS: Eyelids = {
  corners: [263, 362],
  crease: [467, 260, 259, 257, 258, 286, 414],
  upper: [466, 388, 387, 386, 385, 384, 398],
  lower: [249, 390, 373, 374, 380, 381, 382],
};
export const EYELIDS: readonly Eyelids[] = [LEFT_LIDS, RIGHT_LIDS];
