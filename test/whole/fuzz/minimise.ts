const ATTEMPTS_MAX = 400;
const MS_MAX = 15_000;

/** Returns a shorter input with the same finding: leaves out every part without which `isSame` is still true. */
export async function minimise(
  input: Buffer,
  isSame: (shorter: Buffer) => Promise<boolean>,
): Promise<Buffer> {
  let best = input;
  let attempts = 0;
  const untilMs = performance.now() + MS_MAX;
  const mayTry = (): boolean => attempts < ATTEMPTS_MAX && performance.now() < untilMs;
  for (let part = Math.ceil(best.length / 2); part >= 1 && mayTry(); part = Math.floor(part / 2)) {
    for (let at = 0; at < best.length && mayTry(); attempts += 1) {
      const shorter = Buffer.concat([best.subarray(0, at), best.subarray(at + part)]);
      if (await isSame(shorter)) best = shorter;
      else at += part;
    }
  }
  return best;
}
