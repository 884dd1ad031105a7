import { type MicroUsd, parseUsd } from '../base/money.ts';

/** An amount found in a rate card, with the meaning that its name indicates. */
export interface MoneyField {
  readonly meaning: 'rate' | 'minimum' | 'hold';
  readonly amount: MicroUsd;
  /** The unit, if the name contains it, as in `usd_per_second`. */
  readonly unit: 'image' | 'second' | 'minute' | null;
  /** How clearly the name indicates the meaning. The field with the highest rank is used. */
  readonly rank: number;
}

const DEPTH_MAX = 4;
const TEXT_LENGTH_MAX = 100;
const FIELDS_MAX = 100;
/** No rate, minimum or hold is above this. A higher number means something else. */
const AMOUNT_USD_MAX = 1000;

const NOT_MONEY =
  /^(version|max|maximum|limits?|cap|percent|percentage|discount|tax|calls?|count|decimals|id|order|ttl|window|quantity|size|resolution|duration)$/;
const QUANTITIES = /^(seconds?|sec|secs|minutes?|mins?|images?|units?|frames?|credits?|tokens?)$/;
/** Only under these topics is an amount per minute a price. Elsewhere it may be a number of requests, for example. */
const PRICE_TOPIC = /^(pricing|tariff|billing|money|dollars?)$/;
const HOLD = /^(holds?|estimated?|estimates?|reserved?|reservation|preauth|deposit)$/;
const MINIMUM = /^(minimum|min|floor)$/;
const LIST_PRICE = /^(list|public|original|default|base|standard|old|was)$/;
const OTHER_CURRENCY =
  /^(eur|euros?|gbp|pounds?|jpy|yen|cny|rmb|inr|chf|aud|cad|nzd|sek|nok|dkk|pln|brl|krw|mxn|zar|rub|btc|eth)$/;
const DOLLARS = /^((us )?dollars?|usd|us ?\$|\$)$/i;
const CURRENCY_FIELD = /^(currency|currency_?code)$/i;
/** The names of fields that describe an amount in the same object. */
const DESCRIBING_FIELD = /^(type|kind|name|label|meaning)$/i;
const UNIT_FIELD = /^(units?|per|basis|billing|billed|metric)$/;
const UNIT = /^(second|sec|minute|image)$/;

/** How clearly a word marks a price per unit. */
const RATE_RANK: ReadonlyMap<string, number> = new Map([
  ['per', 6],
  ['rate', 5],
  ['price', 4],
  ['cost', 3],
  ['charge', 3],
  ['fee', 3],
  ['amount', 2],
  ['value', 1],
  ['usd', 1],
  ['cents', 1],
  ['cent', 1],
]);

const LEAST_PRICE_RANK = 3;

const EXPONENT: ReadonlyMap<string, number> = new Map([
  ['cent', -2],
  ['cents', -2],
  ['micro', -6],
  ['micros', -6],
  ['microusd', -6],
  ['nano', -9],
  ['nanos', -9],
  ['nanousd', -9],
]);

/** Returns all amounts in `entry` and in the objects and lists inside it, interpreted by the words of their paths. */
export function moneyFields(entry: Readonly<Record<string, unknown>>): readonly MoneyField[] {
  const found: MoneyField[] = [];
  const visit = (value: unknown, way: Path): void => {
    if (found.length >= FIELDS_MAX || way.depth > DEPTH_MAX || !isInDollars(value)) return;
    if (typeof value !== 'object' || value === null) {
      const field = readField(way, value);
      if (field) found.push(field);
      return;
    }
    const inner = pathInto(value, way);
    for (const [key, item] of Object.entries(value)) {
      const words = Array.isArray(value) ? inner.words : [...inner.words, ...tokensOf(key)];
      visit(item, { ...inner, words });
    }
  };
  visit(entry, { words: [], depth: 0, unit: null });
  return found;
}

/** The path to a value: the names along it, and the unit if a field next to one of these names states it. */
interface Path {
  readonly words: readonly string[];
  readonly depth: number;
  readonly unit: MoneyField['unit'];
}

/**
 * Returns the path into an object. It includes the words with which the object describes its amounts, such as `minimum`
 * in `{ type: 'minimum', amount: 0.1 }`.
 */
function pathInto(value: object, { words, depth, unit }: Path): Path {
  const texts = Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  // At the top level, these fields name the capability instead of describing an amount.
  const said = depth === 0 ? [] : texts.filter(([key]) => DESCRIBING_FIELD.test(key));
  const units = texts.filter(([key]) => tokensOf(key).some((token) => UNIT_FIELD.test(token)));
  const beside = units.map(([, text]) => readUnit(tokensOf(text))).find((known) => known !== null);
  const meanings = said.flatMap(([, text]) => tokensOf(text)).filter(isMeaning);
  return { words: [...words, ...meanings], depth: depth + 1, unit: beside ?? unit };
}

function isMeaning(word: string): boolean {
  return HOLD.test(word) || MINIMUM.test(word) || LIST_PRICE.test(word) || RATE_RANK.has(word);
}

/** Returns false for an object that names another currency. */
export function isInDollars(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(
    ([key, name]) => !CURRENCY_FIELD.test(key) || typeof name !== 'string' || DOLLARS.test(name.trim()),
  );
}

/** Splits `usdPerSecond`, `usd_per_second` or `USD/second` into lower-case words. */
export function tokensOf(name: string): readonly string[] {
  return name
    .slice(0, 100)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/\//g, ' per ')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** Returns the unit named among the words, or null. */
export function readUnit(words: readonly string[]): MoneyField['unit'] {
  if (words.some((word) => /^(seconds?|secs?|s)$/.test(word))) return 'second';
  if (words.some((word) => /^(minutes?|mins?)$/.test(word))) return 'minute';
  return words.some((word) =>
    /^(images?|photos?|pictures?|jobs?|calls?|requests?|items?|outputs?)$/.test(word),
  )
    ? 'image'
    : null;
}

function readField({ words, unit: beside }: Path, value: unknown): MoneyField | undefined {
  const at = words.indexOf('per');
  const named = at < 0 ? words : words.slice(0, at);
  if (named.some((word) => NOT_MONEY.test(word)) || words.some((word) => OTHER_CURRENCY.test(word))) {
    return undefined;
  }
  if (at > 0 && !named.some((word) => rankOf(word) > 0 || PRICE_TOPIC.test(word))) return undefined;
  const last = words.at(-1) ?? '';
  const isQuantity = at < 0 && QUANTITIES.test(last) && !MINIMUM.test(last);
  // `{ price: { second: 0.02 } }` is a price per second, but `{ max: { seconds: 60 } }` is not a price.
  const isPerUnit = isQuantity && UNIT.test(last) && rankOf(words.at(-2) ?? '') >= LEAST_PRICE_RANK;
  const read = isQuantity && !isPerUnit ? undefined : readAmount(words, value);
  if (!read) return undefined;
  const { amount } = read;
  if (named.some((word) => HOLD.test(word))) return { meaning: 'hold', amount, unit: null, rank: 0 };
  if (named.some((word) => MINIMUM.test(word))) return { meaning: 'minimum', amount, unit: null, rank: 0 };
  const clearest = Math.max(0, ...words.map(rankOf));
  if (clearest === 0) return undefined;
  const rank = words.some((word) => LIST_PRICE.test(word)) ? clearest - 10 : clearest;
  const inName = readUnit(isPerUnit ? [last] : at < 0 ? [] : words.slice(at + 1));
  return { meaning: 'rate', amount, unit: inName ?? read.unit ?? beside, rank };
}

/** Returns how clearly a word, in the singular or plural, marks a price per unit. */
function rankOf(word: string): number {
  return RATE_RANK.get(word) ?? RATE_RANK.get(word.replace(/s$/, '')) ?? 0;
}

const AMOUNT =
  /^(?:us)?\s*\$?\s*(?:usd)?\s*(\d{1,9}(?:\.\d{1,18})?)(?:e([+-]?\d{1,2}))?\s*(¢|cents?|ct|usd|us\$|dollars?)?\s*(?:(?:\/|per|an?|each)\s*([a-z]+))?$/i;

interface ReadAmount {
  readonly amount: MicroUsd;
  /** The unit, if the value's own text names it, as in `$0.02/s`. */
  readonly unit: MoneyField['unit'];
}

function readAmount(words: readonly string[], value: unknown): ReadAmount | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text.length > TEXT_LENGTH_MAX) return undefined;
  const [, digits, exponent = '0', suffix = '', unit = ''] = AMOUNT.exec(text.trim()) ?? [];
  if (digits === undefined) return undefined;
  const named = words.map((word) => EXPONENT.get(word)).find((found) => found !== undefined) ?? 0;
  const power = Number(exponent) + (/^(¢|c)/i.test(suffix) ? -2 : named);
  if (Math.abs(power) > 30 || Number(digits) * 10 ** power > AMOUNT_USD_MAX) return undefined;
  return { amount: parseUsd(`${digits}e${power}`), unit: readUnit([unit.toLowerCase()]) };
}
