import type { UseOfBot } from '../../src/sandbox/script/use-of-bot.ts';

/**
 * Resolves with the number of milliseconds until the acknowledgement, or with null if it did not arrive in the time
 * that Discord allows.
 */
export async function acknowledgedAfter(use: UseOfBot): Promise<number | null> {
  try {
    await use.acknowledged();
  } catch (error) {
    if (use.acknowledgedAfterMs !== null) throw error;
  }
  return use.acknowledgedAfterMs;
}
