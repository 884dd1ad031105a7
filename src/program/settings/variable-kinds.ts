import { type MicroUsd, parseUsd } from '../../base/money.ts';
import { isTimeZone } from '../../base/time-zone.ts';
import { BUDGET_LIMIT_MAX, SHARD_COUNT_MAX, isPlainUrl } from '../../base/setting-rules.ts';

/** A kind of variable: what it may hold, and how its text becomes a value (undefined: not that). */
export interface Variable<T> {
  readonly allowed: string;
  readonly read: (text: string) => T | undefined;
  /** Its value is never shown. */
  readonly isSecret?: boolean;
}

/** A key or token. */
export const secret: Variable<string> = {
  ...matching(/^[\x21-\x7e]{1,500}$/, '1 to 500 printable characters without spaces'),
  isSecret: true,
};

/** Several of them, as during a rotation. */
export const secrets: Variable<readonly string[]> = {
  ...listOf(
    5,
    (part) => secret.read(part) !== undefined,
    'one to five secrets of printable characters without spaces, separated by commas',
  ),
  isSecret: true,
};

/** Where a server listens. */
export const host: Variable<string> = matching(
  /^[A-Za-z0-9.:_-]{1,255}$/,
  'an address or host name to listen on',
);

/** A file; whether it is there shows when it is read. */
export const filePath: Variable<string> = text('a file');

/** Written `true` or `false`. */
export const yesOrNo: Variable<boolean> = {
  allowed: 'one of true, false',
  read: (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
};

/** US dollars, exact to the micro-dollar. */
export const dollars: Variable<MicroUsd> = {
  allowed: 'dollars from 0 to 1000000 with at most six decimals',
  read: (value) => {
    if (!/^\d{1,7}(\.\d{1,6})?$/.test(value)) return undefined;
    const amount = parseUsd(value);
    return amount <= BUDGET_LIMIT_MAX ? amount : undefined;
  },
};

/** An IANA name. */
export const timeZone: Variable<string> = {
  allowed: 'the name of a time zone such as Europe/Berlin',
  read: (value) => (isTimeZone(value) ? value : undefined),
};

/** `0,1` and `0-3`, also together, each shard once; or `auto`. */
export const shardList: Variable<readonly number[] | 'auto'> = {
  allowed: 'auto, or shards such as 0,1 or 0-3, each once',
  read: (value) => (value === 'auto' ? value : readShards(value)),
};

/** Whatever is not empty. */
export function text(allowed: string): Variable<string> {
  return { allowed, read: (value) => value };
}

/** A text that `pattern` matches. */
export function matching(pattern: RegExp, allowed: string): Variable<string> {
  return { allowed, read: (value) => (pattern.test(value) ? value : undefined) };
}

/** A URL without credentials, query or fragment that `accepts` takes. */
export function url(allowed: string, accepts: (parsed: URL) => boolean): Variable<string> {
  return { allowed, read: (value) => (isPlainUrl(value) && accepts(new URL(value)) ? value : undefined) };
}

/** A whole number from `min` to `max`, in decimal digits. */
export function whole(min: number, max: number): Variable<number> {
  const isInRange = (value: number): boolean => value >= min && value <= max;
  return {
    allowed: `a whole number from ${min} to ${max}`,
    read: (value) => (/^\d{1,9}$/.test(value) && isInRange(Number(value)) ? Number(value) : undefined),
  };
}

/** One of these words. */
export function oneOf<const T extends string>(values: readonly T[]): Variable<T> {
  return {
    allowed: `one of ${values.join(', ')}`,
    read: (value) => values.find((known) => known === value),
  };
}

/** Parts between commas, at most `countMax`, each of which `accepts` takes. */
export function listOf(
  countMax: number,
  accepts: (part: string) => boolean,
  allowed: string,
): Variable<readonly string[]> {
  return {
    allowed,
    read: (value) => {
      const parts = value.split(',').map((part) => part.trim());
      return parts.length <= countMax && parts.every((part) => accepts(part)) ? parts : undefined;
    },
  };
}

/** Undefined also for a shard that comes twice. */
function readShards(value: string): readonly number[] | undefined {
  const ids: number[] = [];
  for (const part of value.split(',')) {
    const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(part.trim()) ?? [];
    if (first === undefined || Number(last) < Number(first)) return undefined;
    for (let id = Number(first); id <= Number(last); id++) ids.push(id);
    if (ids.length > SHARD_COUNT_MAX) return undefined;
  }
  return new Set(ids).size === ids.length ? ids : undefined;
}
