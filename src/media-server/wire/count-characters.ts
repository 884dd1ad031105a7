/** Returns the length of `text` in code points, so that an emoji usually counts as one character. */
export function countCharacters(text: string): number {
  return Array.from(text).length;
}
