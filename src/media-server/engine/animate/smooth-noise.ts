/** Returns a seeded generator of numbers from 0 to 1 (mulberry32). Equal seeds give equal sequences. */
export function randomSequence(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a seed for `text` (FNV-1a). Equal strings give equal seeds. */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193);
  return hash >>> 0;
}

/**
 * Returns a function of time that takes a new random value from -1 to 1 every `periodSeconds`. It moves smoothly from
 * each value to the next, and its speed is 0 at each value.
 */
export function smoothNoise(seed: number, periodSeconds: number): (seconds: number) => number {
  const valueAt = (n: number): number => 2 * randomSequence(seed + Math.imul(n, 0x9e3779b1))() - 1;
  return (seconds) => {
    const position = seconds / periodSeconds;
    const n = Math.floor(position);
    const share = position - n;
    const eased = share * share * share * (share * (6 * share - 15) + 10);
    const from = valueAt(n);
    return from + eased * (valueAt(n + 1) - from);
  };
}
