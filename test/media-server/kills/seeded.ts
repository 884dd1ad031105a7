/**
 * Returns a generator of numbers that look random: each call returns a whole number below `limit`. Equal seeds give
 * equal numbers.
 */
export function seeded(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
