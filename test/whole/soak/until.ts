import { setTimeout as wait } from 'node:timers/promises';

const LOOK_MS = 25;

/** Looks again and again until it is true, or the time is over: says which. */
export async function until(is: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    if (await is()) return true;
    if (performance.now() > endMs) return false;
    await wait(LOOK_MS);
  }
}
