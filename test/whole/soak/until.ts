import { setTimeout as wait } from 'node:timers/promises';

const LOOK_MS = 25;

/** Checks repeatedly until the condition is true or the time is up. Returns whether it became true. */
export async function until(is: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    if (await is()) return true;
    if (performance.now() > endMs) return false;
    await wait(LOOK_MS);
  }
}
