/**
 * The code words of AAC (ISO/IEC 14496-3, 4.A.1), as far as they determine the number of bits. A tree is written from
 * its root: `.` is a node, followed by its branch for bit 0 and its branch for bit 1. A digit ends a word and is the
 * number of additional bits that belong to the word. `p`, `q` and `r` end the words to which the rows of `ESCAPES`
 * apply. If all words below a node have the same length, the node itself is written as an end.
 */
const SCALE_FACTORS = '.0..01..01.2..1.01..1.01..12..12..12..12...012..12..2.1.01....012...01235';

/** The trees of codebooks 1 to 11. */
const CODEBOOKS: readonly string[] = [
  '.0.3.4.3.4.3.34',
  '...0.01.2..012.4...123...1.013.3...0123',
  '.0.3..3.3.23...23..43.32...3.3.23...23.31.3.12....244..4.32..325...4.23.43...3.24.45...235...345..43..3.34..35..43.24',
  '....434..31.20..3.3.12..2.65....345...3234..4..21.12..66..5..344...34.53.4..43.34',
  '.0.2.2..23..23..23..23.3..12.2.12',
  '.3...023..23..2..012...123.3..1.01.2.12',
  '.0.2..2.32...3.21..134...32..3.21..213..4.3..21.12.5.4.4.34',
  '...2.21..21.2.01....123..23.3.21....123.4.3.21....213.3.3.21....2134..3.23...12.12.3..21.12',
  '.0.2..2.32..4.4.3.32...4.3.2.12....1234...2134....3..123...123..213...3245.....21.23...1234.5.4..213.....1234...1235...4..12.21.4..123.5.5.4.34',
  '...3.2.21...123.3.23....3.02..21.12..34.4..21.21...4..234....21.2145....3.23...213.3.216.....21.21..234....123.3.215..5...21.21..213...3.235....12.12.3.12..3.12.4..213',
  '....02..r1.12..3.3.21...21.23.4.23....4.34...3.2q..qq.qq...2q.12..1q.2q.....qq.q24...qq3..qq.q2....2q.2q..qq.2q..3.qq.3.21......qq3.3.1.2q....q2.2q..2q3.4..2q3.....123.3.215..4.3.125.....3.p2..23.3.p2....12345..5.4.3.216.....3.1245.5.4.32..5...2345....3.21.3.12...123..123...324...12.21.3..21.12',
];

/**
 * Two numbers for each node, for bit 0 and bit 1: each is the next node or, at the end of a word, `-1 - n`, where `n` is
 * the place of the word's value in `ENDS`.
 */
export type CodeTree = Int16Array;

const ENDS = '0123456pqr';
/**
 * For ends with this number or a higher one (`p`, `q` and `r`), `ESCAPES` states how many sign bits and escaped numbers
 * follow a word.
 */
export const ESCAPE_MIN = 7;
export const ESCAPES: readonly { readonly signs: number; readonly numbers: number }[] = [
  { signs: 1, numbers: 1 },
  { signs: 2, numbers: 1 },
  { signs: 2, numbers: 2 },
];

export const SCALE_FACTOR_TREE: CodeTree = treeOf(SCALE_FACTORS);
/** The trees, by codebook number; codebook 0 has none. */
export const CODE_TREES: readonly (CodeTree | undefined)[] = [undefined, ...CODEBOOKS.map(treeOf)];

/** The first coefficient of each band in a long or short window; the last number is the end of the last band. */
interface AacBands {
  readonly long: readonly number[];
  readonly short: readonly number[];
}

/**
 * The widths of the bands in units of four coefficients, for each group of sampling rates. The groups start at 96, 64,
 * 48, 32, 24, 16 and 8 kHz.
 */
const LONG_WIDTHS: readonly string[] = [
  '1 1 1 1 1 1 1 1 1 1 1 1 1 1 2 2 2 2 2 3 3 3 3 3 4 4 6 7 9 11 16 16 16 16 16 16 16 16 16 16 16',
  '1 1 1 1 1 1 1 1 1 1 1 1 1 1 2 2 2 2 3 3 3 4 4 4 5 6 6 7 9 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10',
  '1 1 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 3 3 3 3 4 4 5 5 6 6 7 7 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 24',
  '1 1 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 3 3 3 3 4 4 5 5 6 6 7 7 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8',
  '1 1 1 1 1 1 1 1 1 1 1 2 2 2 2 2 2 2 2 2 2 3 3 3 3 4 4 4 5 5 6 6 7 7 8 9 9 10 11 12 13 13 16 16 16 16 16',
  '2 2 2 2 2 2 2 2 2 2 2 3 3 3 3 3 3 3 3 3 4 4 4 4 5 5 5 6 6 7 7 8 9 10 10 11 12 13 14 15 16 16 16',
  '3 3 3 3 3 3 3 3 3 3 3 3 3 4 4 4 4 4 4 4 5 5 5 5 6 6 6 7 7 8 9 9 10 11 12 13 14 15 16 20',
];
const SHORT_WIDTHS: readonly string[] = [
  '1 1 1 1 1 1 2 2 2 4 7 9',
  '1 1 1 1 1 1 2 2 2 4 7 9',
  '1 1 1 1 1 2 2 2 3 3 3 4 4 4',
  '1 1 1 1 1 2 2 2 3 3 3 4 4 4',
  '1 1 1 1 1 1 1 2 2 2 3 3 4 4 5',
  '1 1 1 1 1 1 1 1 2 2 3 3 4 5 5',
  '1 1 1 1 1 1 1 2 2 2 2 3 4 5 5',
];
/** The group of each sampling rate, by rate index. */
const GROUPS = [0, 0, 1, 2, 2, 3, 4, 4, 5, 5, 5, 6, 6];

/** The bands, by rate index. */
export const AAC_BANDS: readonly AacBands[] = GROUPS.map((group) => ({
  long: startsOf(LONG_WIDTHS[group] ?? ''),
  short: startsOf(SHORT_WIDTHS[group] ?? ''),
}));

/** The number of bands that may use prediction, by rate index. */
export const PREDICTED_BANDS: readonly number[] = [33, 33, 38, 40, 40, 40, 41, 41, 37, 37, 37, 34, 34];

function startsOf(widths: string): number[] {
  const starts = [0];
  for (const width of widths.split(' ')) starts.push((starts.at(-1) ?? 0) + Number(width) * 4);
  return starts;
}

function treeOf(text: string): CodeTree {
  const tree = new Int16Array(text.length + 1);
  let at = 0;
  let nodes = 0;
  const next = (): number => {
    const end = ENDS.indexOf(text[at++] ?? '');
    if (end >= 0) return -1 - end;
    const node = nodes++;
    tree[node * 2] = next();
    tree[node * 2 + 1] = next();
    return node;
  };
  next();
  return tree;
}
