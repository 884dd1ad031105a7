/** Returns `#rrggbb` for 0xRRGGBB, or the default line colour if there is no colour. */
export function colourText(colour: number | null | undefined): string {
  if (colour === null || colour === undefined) return 'var(--line)';
  return `#${colour.toString(16).padStart(6, '0')}`;
}
