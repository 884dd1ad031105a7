import { mutate } from './mutate.ts';
import { Random } from './random.ts';
import { type FuzzTarget, withoutCanaries } from './target.ts';

const SIZE_BYTES_MAX = 12_000_000;

/**
 * Returns the campaign's input number `index`. The first inputs are the target's seeds; the others are written by the
 * grammar, some of them with changed bytes, or are seeds with changed bytes.
 */
export function makeInput(
  target: FuzzTarget,
  seeds: readonly Buffer[],
  { seed, index }: { readonly seed: number; readonly index: number },
): Buffer {
  const random = new Random(seed, target.name, index);
  if (seeds.length > 0 && index < seeds.length) return seeds[index] ?? Buffer.alloc(0);
  const isOfSeed = seeds.length > 0 && random.happens(15);
  const right = isOfSeed ? random.pick(seeds) : target.generate(random, seeds);
  const isMutated = target.isMutated !== false && (isOfSeed || random.happens(40));
  return (isMutated ? withoutCanaries(mutate(random, withoutCanaries(right))) : right).subarray(
    0,
    SIZE_BYTES_MAX,
  );
}
