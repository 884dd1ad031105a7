import { type MicroUsd, parseUsd } from '../base/money.ts';

/** An amount found in a rate card, and what its name says it is. */
export interface MoneyField {
  readonly meaning: 'rate' | 'minimum' | 'hold';
  readonly amount: MicroUsd;
  /** The unit, when the name tells it: `usd_per_second`. */
  readonly unit: 'image' | 'second' | 'minute' | null;
  /** How clearly the name says so; the highest is believed. */
  readonly rank: number;
}

const DEPTH_MAX = 3;
const FIELDS_MAX = 100;
/** No rate, minimum or hold is this high: a number above means something else. */
const AMOUNT_USD_MAX = 1000;

const NOT_MONEY =
  /^(version|max|maximum|limit|cap|percent|percentage|discount|tax|calls?|count|decimals|id|order|ttl|window|quantity|size|resolution|duration)$/;
const QUANTITIES = /^(seconds?|sec|secs|minutes?|mins?|images?|units?|frames?|credits?|tokens?)$/;
const HOLD = /^(holds?|estimated?|estimates?|reserved?|reservation|preauth|deposit)$/;
const MINIMUM = /^(minimum|min|floor)$/;
const LIST_PRICE = /^(list|public|original|default|base|standard|old|was)$/;

/** How clearly a word marks a price per unit. */
const RATE_RANK: Readonly<Record<string, number>> = {
  per: 6,
  rate: 5,
  price: 4,
  cost: 3,
  charge: 3,
  fee: 3,
  amount: 2,
  value: 1,
  usd: 1,
  cents: 1,
  cent: 1,
};

const EXPONENT: Readonly<Record<string, number>> = {
  cent: -2,
  cents: -2,
  micro: -6,
  micros: -6,
  microusd: -6,
  nano: -9,
  nanos: -9,
  nanousd: -9,
};

/** All amounts in `entry` and in objects within it, with the words of the whole way to them. */
export function moneyFields(entry: Readonly<Record<string, unknown>>): readonly MoneyField[] {
  const found: MoneyField[] = [];
  const visit = (value: unknown, words: readonly string[], depth: number): void => {
    if (found.length >= FIELDS_MAX || depth > DEPTH_MAX) return;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      Object.entries(value).forEach(([key, inner]) => visit(inner, [...words, ...tokensOf(key)], depth + 1));
      return;
    }
    const field = readField(words, value);
    if (field) found.push(field);
  };
  visit(entry, [], 0);
  return found;
}

/** `usdPerSecond`, `usd_per_second` and `USD/second` as words in lower case. */
export function tokensOf(name: string): readonly string[] {
  return name
    .slice(0, 100)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/\//g, ' per ')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** The unit named among the words, if there is one. */
export function readUnit(words: readonly string[]): MoneyField['unit'] {
  if (words.some((word) => /^(seconds?|secs?|s)$/.test(word))) return 'second';
  if (words.some((word) => /^(minutes?|mins?)$/.test(word))) return 'minute';
  return words.some((word) =>
    /^(images?|photos?|pictures?|jobs?|calls?|requests?|items?|outputs?)$/.test(word),
  )
    ? 'image'
    : null;
}

function readField(words: readonly string[], value: unknown): MoneyField | undefined {
  const per = words.indexOf('per');
  const named = per < 0 ? words : words.slice(0, per);
  if (named.some((word) => NOT_MONEY.test(word))) return undefined;
  if (per < 0 && QUANTITIES.test(words.at(-1) ?? '') && !MINIMUM.test(words.at(-1) ?? '')) return undefined;
  const amount = readAmount(words, value);
  if (amount === undefined) return undefined;
  if (named.some((word) => HOLD.test(word))) return { meaning: 'hold', amount, unit: null, rank: 0 };
  if (named.some((word) => MINIMUM.test(word))) return { meaning: 'minimum', amount, unit: null, rank: 0 };
  const clearest = Math.max(...words.map((word) => RATE_RANK[word] ?? 0));
  if (clearest <= 0) return undefined;
  const rank = words.some((word) => LIST_PRICE.test(word)) ? clearest - 10 : clearest;
  return { meaning: 'rate', amount, unit: per < 0 ? null : readUnit(words.slice(per + 1)), rank };
}

function readAmount(words: readonly string[], value: unknown): MicroUsd | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return undefined;
  const [, digits, exponent = '0'] = /^\s*\$?(\d{1,9}(?:\.\d{1,18})?)(?:e([+-]?\d{1,2}))?$/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const shift = words.map((word) => EXPONENT[word]).find((found) => found !== undefined) ?? 0;
  const power = Number(exponent) + shift;
  if (Math.abs(power) > 30 || Number(digits) * 10 ** power > AMOUNT_USD_MAX) return undefined;
  return parseUsd(`${digits}e${power}`);
}
