/** A piece of text that is spoken in one breath, and the silence after it. */
interface SpokenPiece {
  /** Printable ASCII with at least one letter or digit, short enough for one run of the synthesiser. */
  readonly text: string;
  readonly pauseSeconds: number;
}

/** The weight of a digit relative to a letter. In long numbers, each digit is spoken as a word. */
const DIGIT_WEIGHT = 5;
const PIECE_WEIGHT_MAX = 240;
const TOKEN_WEIGHT_MAX = 80;

const CLAUSE_PAUSE_SECONDS = 0.14;
const SENTENCE_PAUSE_SECONDS = 0.34;
const PARAGRAPH_PAUSE_SECONDS = 0.7;

/** Abbreviations whose full stop does not end a sentence. */
const ABBREVIATION = /(?:^|[\s(])(?:dr|mr|mrs|ms|prof|st|mt|no|vs|etc|e\.g|i\.e|jr|sr|inc|ltd|[a-z])\.$/i;

/**
 * Splits any script into pieces that an English voice can speak, sentence by sentence. Nothing in it is a
 * command: mark-up, options and control characters are read as text or removed. Returns an empty list if
 * nothing can be spoken.
 */
export function splitScript(script: string): readonly SpokenPiece[] {
  return script
    .split(/\r\n|\p{Zl}|\p{Zp}|[\n\r\v\f\u0085]/u)
    .map(spokenForm)
    .filter(hasWords)
    .flatMap((paragraph) => ending(sentences(paragraph), PARAGRAPH_PAUSE_SECONDS));
}

function sentences(paragraph: string): SpokenPiece[] {
  const found: string[] = [];
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'sentence' }).segment(paragraph)) {
    const before = found.at(-1);
    if (before !== undefined && ABBREVIATION.test(before.trimEnd()))
      found[found.length - 1] = before + segment;
    else found.push(segment);
  }
  return found
    .filter(hasWords)
    .flatMap((sentence) => ending(breaths(sentence.trim()), SENTENCE_PAUSE_SECONDS));
}

/** Splits a long sentence at its commas, or between words if there are none. */
function breaths(sentence: string): SpokenPiece[] {
  const pieces: string[] = [];
  let piece = '';
  for (const token of sentence.split(/\s+/).flatMap(shortTokens)) {
    const isFull = weight(piece) + weight(token) > PIECE_WEIGHT_MAX;
    const isLongEnough = weight(piece) > PIECE_WEIGHT_MAX / 2 && /[,;:]$/.test(piece);
    if (piece !== '' && (isFull || isLongEnough)) {
      pieces.push(piece);
      piece = '';
    }
    piece = piece === '' ? token : `${piece} ${token}`;
  }
  return [...pieces, piece].filter(hasWords).map((text) => ({ text, pauseSeconds: CLAUSE_PAUSE_SECONDS }));
}

function shortTokens(token: string): string[] {
  const tokens: string[] = [];
  let from = 0;
  let sum = 0;
  for (let at = 0; at < token.length; at++) {
    const here = weight(token.charAt(at));
    if (sum + here > TOKEN_WEIGHT_MAX) {
      tokens.push(token.slice(from, at));
      from = at;
      sum = 0;
    }
    sum += here;
  }
  return [...tokens, token.slice(from)];
}

function ending(pieces: readonly SpokenPiece[], pauseSeconds: number): SpokenPiece[] {
  return pieces.map((piece, n) => (n === pieces.length - 1 ? { ...piece, pauseSeconds } : piece));
}

function hasWords(text: string): boolean {
  return /[a-z0-9]/i.test(text);
}

function weight(text: string): number {
  return text.length + (DIGIT_WEIGHT - 1) * text.replaceAll(/\D/g, '').length;
}

/** Letters that Unicode does not decompose. */
const PLAIN_LETTERS: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['đ', 'd'],
  ['ð', 'th'],
  ['þ', 'th'],
  ['ł', 'l'],
  ['ı', 'i'],
]);

/** Spells out symbols, removes accents, and removes characters that have no sound in English. */
function spokenForm(line: string): string {
  return line
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[ßæœøđðþłı]/giu, (letter) => PLAIN_LETTERS.get(letter.toLowerCase()) ?? '')
    .replaceAll(/[\u2018\u2019\u02BC\u0060\u00B4]/g, "'")
    .replaceAll(/[\u201C\u201D\u00AB\u00BB]/g, '"')
    .replaceAll(/\s+[-\u2010-\u2015]+\s+|[\u2013-\u2015]|--+/g, ', ')
    .replaceAll(/[\u2010-\u2012]/g, '-')
    .replaceAll(
      /([£€¥])\s?(\d[\d,.]*\d|\d)/g,
      (_, sign: string, sum: string) => `${sum} ${MONEY.get(sign) ?? ''}`,
    )
    .replaceAll(/\b[a-z]+:\/\/(?:www\.)?/gi, ' ')
    .replaceAll(/(?<=[a-z0-9]{2})\.(?=[a-z]{2})/g, ' dot ')
    .replaceAll('\u2044', '/')
    .replaceAll('@', ' at ')
    .replaceAll('&', ' and ')
    .replaceAll('+', ' plus ')
    .replaceAll('=', ' equals ')
    .replaceAll('\u00D7', ' times ')
    .replaceAll('°', ' degrees ')
    .replaceAll(/[^\x20-\x7E]|[<>{}[\]\\|^~*_#]/gu, ' ')
    .replaceAll(/(?<![\d])\/|\/(?!\d)/g, ' ')
    .replaceAll(/([.!?,;:])(?:\s*[.,;:])+/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const MONEY: ReadonlyMap<string, string> = new Map([
  ['£', 'pounds'],
  ['€', 'euros'],
  ['¥', 'yen'],
]);
