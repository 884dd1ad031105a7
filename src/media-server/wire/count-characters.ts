/** The length of a text in code points, as a reader would count an emoji once. */
export function countCharacters(text: string): number {
  return Array.from(text).length;
}
