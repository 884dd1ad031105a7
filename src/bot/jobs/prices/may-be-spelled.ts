/**
 * Returns whether a voice reads `word` (letters without accents) letter by letter, as with `NASDQ` or `xkcd`. Spelling
 * a word takes three times as long as saying it.
 */
export function mayBeSpelled(word: string): 'yes' | 'no' | 'perhaps' {
  if (word.length > LETTERS_MAX) return 'perhaps';
  const isLatin = /^[a-z]+$/i.test(word);
  if (isLatin && !/[aeiouy]/i.test(word)) return 'yes';
  if (isInCapitals(word) || /(\p{L})\1\1/iu.test(word)) return 'perhaps';
  if (isLatin) return WORD.test(word.toLowerCase()) ? 'no' : 'perhaps';
  return /\p{Script=Latin}/u.test(word) ? 'perhaps' : 'no';
}

/** Returns whether the word looks like an abbreviation in capitals. Longer words are in capitals only for emphasis. */
function isInCapitals(word: string): boolean {
  const isCapital = word === word.toUpperCase() && word !== word.toLowerCase();
  return isCapital && word.length > 1 && word.length <= CAPITALS_MAX;
}

const CAPITALS_MAX = 8;
/** Almost all words are shorter than this. It is not known how voices say longer sequences of letters. */
const LETTERS_MAX = 40;

const CONSONANT = '[b-df-hj-np-tv-xz]';
/**
 * The groups of consonants with which English words begin and end. The embedded voices spell out words that begin or
 * end with other groups.
 */
const BEGINNING = [
  'bl|br|c[hlrz]|chr|d[rw]|f[lr]|g[hlnr]|k[hlnr]|p[hlrs]|phr|qu|rh|t[hrsw]|thr|w[hr]|zh',
  's[cfhjklmnpqtw]|sch[lmnrw]?|s[cpt]r|shr|s[cp]l|sph|squ',
].join('|');
const ENDING = [
  'bb|c[hkt]|cht|cks|cts|d[dhs]|ff|ft|fts|g[ghnst]|ght|k[kst]|l[bcdfgklmnpst]|l[dkmt]s|lch|lls',
  'm[bmnpst]|mp[hst]|n[cdgknstx]|n[cdgkt]s|nch|nst|nth|ngth|p[hpst]|pts|r[bcdfgklmnprst]|r[bdgklmnpt]s|r[cs]h|rst',
  's[hkmpst]|s[kpt]s|sch|t[hstz]|tch|tts|ths|w[kln]|w[nl]s|xt|zz|[bcfglmprw]s',
].join('|');
const WORD = new RegExp(
  `^(?:${CONSONANT}|${BEGINNING})?[aeiouy](?:[a-z]*[aeiouy])?(?:${CONSONANT}|${ENDING})?$`,
);
