/** The faces that members saved. Implemented in `src/bot/people/members/face-store.ts`. */
export interface SavedFaces {
  /** Returns the path of the face's picture; null unless the face belongs to the member and may be used. */
  pathOf(faceId: string, userId: string): Promise<string | null>;
}
