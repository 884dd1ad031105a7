import { mayBeSpelled } from './may-be-spelled.ts';

/** The time that a voice needs to say some text, in seconds. */
export interface SpokenLength {
  /** The expected time for a calm voice. */
  readonly likely: number;
  /** The upper bound: the time for a slow voice that spells unknown words and reads out every symbol. */
  readonly most: number;
}

/**
 * Estimates how long a voice takes to say `text`, in any language. It adds up words, digits, spelled letters, names of
 * symbols, and pauses. The rates come from measurements with the slowest voice of the embedded media server and, for
 * languages that it does not speak, with eSpeak NG at 150 words per minute.
 */
export function spokenLength(text: string): SpokenLength {
  let { likely, most } = AROUND;
  for (const { 0: part, groups = {} } of written(text).matchAll(PART)) {
    const kind = KINDS.find((one) => groups[one] !== undefined);
    if (kind === undefined) continue;
    const length = SPOKEN[kind][1](part);
    likely += length.likely;
    most += length.most;
  }
  return { likely, most };
}

/** The total silence before the first word and after the last one. */
const AROUND: SpokenLength = { likely: 0.5, most: 1 };

/**
 * Removes accents and other variants of letters. A letter that Unicode does not decompose is replaced with letters that
 * sound the same.
 */
function written(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/[ßæœðþøđłı]/giu, (letter) => LETTERS.get(letter.toLowerCase()) ?? letter)
    .replaceAll(/[\u2018\u2019\u02BC]/g, "'");
}

const LETTERS: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ð', 'th'],
  ['þ', 'th'],
  ['ø', 'o'],
  ['đ', 'd'],
  ['ł', 'l'],
  ['ı', 'i'],
]);

const ALPHABET = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Georgian']
  .map((script) => `\\p{Script=${script}}`)
  .join('');
const PICTURE = String.raw`\p{Extended_Pictographic}[\u{1F3FB}-\u{1F3FF}\uFE0F]*`;

/**
 * The kinds of tokens that a voice says, each with its pattern and the time that saying it takes, in seconds. The first
 * pattern that matches counts.
 */
const SPOKEN = {
  /** A voice says digits one by one, or as a number in words. The latter takes longer. */
  number: [
    String.raw`\p{Nd}+`,
    (part) => ({ likely: 0.5 * countOf(part, /\p{Nd}/gu), most: 0.15 + countOf(part, /\p{Nd}/gu) }),
  ],
  emoji: [String.raw`\p{RI}{2}|${PICTURE}(?:\u200D${PICTURE})*`, () => ({ likely: 1, most: 2.5 })],
  word: [
    `[${ALPHABET}](?:[${ALPHABET}]|\\p{M})*(?:'(?:s|t|re|ve|ll|d|m)(?![\\p{L}\\p{N}']))?`,
    (part) => wordLength(part),
  ],
  han: [String.raw`\p{Script=Han}`, () => ({ likely: 0.3, most: 0.55 })],
  kana: [String.raw`[\p{Script=Hiragana}\p{Script=Katakana}\u30FC]`, () => ({ likely: 0.15, most: 0.25 })],
  hangul: [String.raw`\p{Script=Hangul}`, () => ({ likely: 0.2, most: 0.35 })],
  /** Letters of scripts that do not write all vowels. */
  consonant: [
    String.raw`[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}]`,
    () => ({ likely: 0.12, most: 0.2 }),
  ],
  /** All other scripts, most of which have one letter for each syllable. */
  letter: [String.raw`[\p{L}\p{N}]`, () => ({ likely: 0.15, most: 0.4 })],
  line: [String.raw`[\n\r\v\f\u0085\u2028\u2029]\s*`, () => ({ likely: 0.5, most: 0.9 })],
  end: [String.raw`[.!?\u2026]+(?=[\s"')\]]|$)|[\u3002\u0964]`, () => ({ likely: 0.35, most: 0.6 })],
  dot: [String.raw`[./\\\u2026]`, () => ({ likely: 0.35, most: 0.65 })],
  pause: [
    String.raw`[,;:!?"()\[\]{}\u2010-\u2015\u3001\u00AB\u00BB\u201C\u201D\u060C-]+`,
    () => ({ likely: 0.15, most: 0.35 }),
  ],
  sign: [String.raw`(?!')[\p{S}\p{P}]`, () => ({ likely: 0.45, most: 0.75 })],
} as const satisfies Readonly<Record<string, readonly [string, (part: string) => SpokenLength]>>;

const KINDS = Object.keys(SPOKEN) as (keyof typeof SPOKEN)[];
const PART = new RegExp(KINDS.map((kind) => `(?<${kind}>${SPOKEN[kind][0]})`).join('|'), 'gu');

function wordLength(part: string): SpokenLength {
  const word = part.normalize('NFD').replaceAll(/\P{L}/gu, '');
  const letters = countOf(word, /./gsu);
  const whole = { likely: 0.08 + 0.07 * letters, most: 0.15 + 0.11 * letters };
  const spelled = { likely: 0.05 + 0.25 * letters, most: 0.15 + 0.6 * letters };
  const certain = mayBeSpelled(word);
  if (certain === 'no') return whole;
  return certain === 'yes' ? spelled : { likely: (whole.likely + spelled.likely) / 2, most: spelled.most };
}

function countOf(text: string, what: RegExp): number {
  return text.match(what)?.length ?? 0;
}
