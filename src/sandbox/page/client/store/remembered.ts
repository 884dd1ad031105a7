import { type Signal, effect, signal } from '@preact/signals';

const PREFIX = 'masquerade-chat:';
const LENGTH_MAX = 200_000;
/** The maximum number of texts under one name. Without it, texts for servers of earlier sandboxes would pile up. */
const TEXTS_MAX = 50;

/**
 * Returns a signal whose value survives a reload of the page. `parse` checks the stored value, which may be anything.
 */
export function remembered<T>(name: string, parse: (kept: unknown) => T): Signal<T> {
  const key = PREFIX + name;
  const value = signal(parse(readKept(key)));
  effect(() => {
    const text = JSON.stringify(value.value);
    try {
      if (text.length <= LENGTH_MAX) localStorage.setItem(key, text);
    } catch {
      // A private window may be unable to store anything. A reload then starts with the default.
    }
  });
  return value;
}

function readKept(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null');
  } catch {
    return null;
  }
}

/** Returns the value if it is text, otherwise null. */
export function textOrNull(kept: unknown): string | null {
  return typeof kept === 'string' ? kept : null;
}

/** Returns the texts in a stored value, by name, without values that are not text. */
export function textsByName(kept: unknown): Readonly<Record<string, string>> {
  if (typeof kept !== 'object' || kept === null) return {};
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => typeof value === 'string'));
}

/**
 * Returns the texts with `text` added under `name` as the latest, or, if `text` is empty, without the text under
 * `name`. If there are too many texts, the earliest ones are removed.
 */
export function withText(
  texts: Readonly<Record<string, string>>,
  name: string,
  text: string,
): Readonly<Record<string, string>> {
  const others = Object.entries(texts).filter(([other]) => other !== name);
  const all = text === '' ? others : [...others, [name, text] as const];
  return Object.fromEntries(all.slice(-TEXTS_MAX));
}
