/** The six sample portraits, with one face each. */
export const PORTRAITS = [
  'portrait-woman-brown-hair.jpg',
  'portrait-man-dark-hair.jpg',
  'portrait-woman-three-quarter.jpg',
  'portrait-man-short-hair.png',
  'portrait-man-elderly.jpg',
  'portrait-woman-curly-hair.jpg',
] as const;
