import type { Random } from '../random.ts';

const DEPTH_MAX = 6;
/** Values that are valid somewhere, and invalid in most places. */
const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -0,
  1,
  -1,
  0.1,
  1e-7,
  1e21,
  1e308,
  2 ** 53,
  2 ** 31,
  4_294_967_296,
  '',
  ' ',
  '0',
  'null',
  'NaN',
  '__proto__',
  'constructor',
  'toString',
  '\0',
  '\ud800',
  '\u{1f600}',
  '𝕬'.repeat(50),
  'x'.repeat(5_000),
  [],
  {},
  [[]],
];

/** Returns any JSON value. */
export function anyJson(random: Random, depth: number = 0): unknown {
  if (depth >= DEPTH_MAX || random.happens(55)) return random.pick(VALUES);
  const items = Array.from({ length: random.count(8) }, () => anyJson(random, depth + 1));
  if (random.happens(50)) return items;
  return fromEntries(
    items.map((item, index) => [
      random.pick(['a', 'id', 'type', '__proto__', 'length', String(index)]),
      item,
    ]),
  );
}

/**
 * Returns the value with `percent` percent of its parts replaced, omitted, duplicated or nested.
 */
export function distort(random: Random, value: unknown, percent: number): unknown {
  if (random.happens(percent)) return random.happens(30) ? nested(random, value) : anyJson(random);
  if (Array.isArray(value)) {
    const items = value.flatMap((item: unknown) =>
      random.happens(percent) ? [] : [distort(random, item, percent)],
    );
    return random.happens(percent) ? [...items, ...items] : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, item]): [string, unknown][] =>
    random.happens(percent)
      ? random.happens(50)
        ? []
        : [[random.pick(['__proto__', key.toUpperCase(), '']), item]]
      : [[key, distort(random, item, percent)]],
  );
  return fromEntries(entries);
}

/** Returns the value as text, sometimes nested deeper than a parser's stack allows, or with a duplicate key. */
export function jsonText(random: Random, value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  if (random.happens(1)) return `${'['.repeat(random.int(1, 20_000))}${text}`;
  return random.happens(2) ? text.replace('{', '{"id":1,"id":"2","type":null,') : text;
}

function nested(random: Random, value: unknown): unknown {
  let inner = value;
  for (let depth = random.count(2_000); depth > 0; depth -= 1)
    inner = random.happens(50) ? [inner] : { data: inner };
  return inner;
}

/** Builds an object in which `__proto__` is a key like any other. */
function fromEntries(entries: readonly (readonly [string, unknown])[]): unknown {
  const made: Record<string, unknown> = {};
  for (const [key, value] of entries)
    Object.defineProperty(made, key, { value, enumerable: true, configurable: true, writable: true });
  return made;
}
