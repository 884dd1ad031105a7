import { onTestFinished } from 'vitest';
import { LockstepClock } from './lockstep-clock.ts';

/** Creates a clock for one test. Create it before anything that uses it. */
export async function useLockstepClock(): Promise<LockstepClock> {
  const clock = await LockstepClock.start();
  onTestFinished(() => clock[Symbol.asyncDispose]());
  return clock;
}
