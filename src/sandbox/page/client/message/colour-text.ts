/** `#rrggbb` of 0xRRGGBB; the usual line where there is none. */
export function colourText(colour: number | null | undefined): string {
  if (colour === null || colour === undefined) return 'var(--line)';
  return `#${colour.toString(16).padStart(6, '0')}`;
}
