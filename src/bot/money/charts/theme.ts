/** The colours of Discord's dark theme. */
export const THEME = {
  background: '#2b2d31',
  highlight: '#393b42',
  line: '#3f4248',
  text: '#f2f3f5',
  muted: '#b5bac1',
  budget: '#ff6b6e',
  total: '#dbdee1',
} as const;

/**
 * Okabe and Ito's colours, which colour-blind people can distinguish. Blue is lighter than theirs because of the dark
 * background. The colours are in the stacking order of the bars, and adjacent colours also differ in lightness.
 */
const COLOURS: ReadonlyMap<string, string> = new Map([
  ['photo_swap', '#56b4e9'],
  ['video_swap', '#e69f00'],
  ['identity_swap', '#009e73'],
  ['motion_transfer', '#f0e442'],
  ['avatar', '#cc79a7'],
  ['lip_sync', '#d55e00'],
  ['voice_swap', '#3d7fd9'],
  ['live_swap_pro', '#c9ccd1'],
]);

const COLOUR_OF_OTHERS = '#868a92';

/** Sorts capabilities in stacking order. Capabilities that this program does not know come last. */
export function inOrder(capabilities: readonly string[]): readonly string[] {
  const known = [...COLOURS.keys()].filter((name) => capabilities.includes(name));
  return [...known, ...capabilities.filter((name) => !COLOURS.has(name)).sort()];
}

export function colourOf(capability: string): string {
  return COLOURS.get(capability) ?? COLOUR_OF_OTHERS;
}
