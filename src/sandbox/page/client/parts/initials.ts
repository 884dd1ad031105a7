const letters = new Intl.Segmenter();

/** Returns the first letters of at most `wordsMax` words, such as `FC` for "Film club". */
export function initials(name: string, wordsMax = 3): string {
  const words = name.split(/\s+/).filter((word) => word !== '');
  return words.slice(0, wordsMax).map(firstLetter).join('');
}

function firstLetter(word: string): string {
  for (const { segment } of letters.segment(word)) return segment.toUpperCase();
  return '';
}
