import { onTestFinished } from 'vitest';
import { LockstepClock } from './lockstep-clock.ts';

/** A clock for one test. Ask for it before anything that runs on it. */
export async function useLockstepClock(): Promise<LockstepClock> {
  const clock = await LockstepClock.start();
  onTestFinished(() => clock[Symbol.asyncDispose]());
  return clock;
}
