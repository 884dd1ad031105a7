import { type Signal, effect, signal } from '@preact/signals';

const PREFIX = 'masquerade-chat:';
const LENGTH_MAX = 200_000;
/** Servers and channels of sandboxes that are gone stay behind. */
const TEXTS_MAX = 50;

/** A signal whose value survives a reload of the page. `parse` makes sense of what was kept, which may be anything. */
export function remembered<T>(name: string, parse: (kept: unknown) => T): Signal<T> {
  const key = PREFIX + name;
  const value = signal(parse(readKept(key)));
  effect(() => {
    const text = JSON.stringify(value.value);
    try {
      if (text.length <= LENGTH_MAX) localStorage.setItem(key, text);
    } catch {
      // Private windows may keep nothing: then a reload begins anew.
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

/** Text, or null. */
export function textOrNull(kept: unknown): string | null {
  return typeof kept === 'string' ? kept : null;
}

/** Texts by name. */
export function textsByName(kept: unknown): Readonly<Record<string, string>> {
  if (typeof kept !== 'object' || kept === null) return {};
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => typeof value === 'string'));
}

/** The texts with this one as the latest; the earliest go when there are too many, and an empty one goes at once. */
export function withText(
  texts: Readonly<Record<string, string>>,
  name: string,
  text: string,
): Readonly<Record<string, string>> {
  const others = Object.entries(texts).filter(([other]) => other !== name);
  const all = text === '' ? others : [...others, [name, text] as const];
  return Object.fromEntries(all.slice(-TEXTS_MAX));
}
