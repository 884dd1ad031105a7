/** The faces that members saved. Implemented in `src/bot/people/members/faces.ts`. */
export interface SavedFaces {
  /** The picture of a face that is the member's own and may be used; null otherwise. */
  pathOf(faceId: string, userId: string): Promise<string | null>;
}
