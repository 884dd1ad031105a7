import type { UseOfBot } from '../../src/sandbox/script/use-of-bot.ts';

/**
 * Resolves with the time until the acknowledgement in milliseconds, or with null if Discord would have stopped waiting
 * by then.
 */
export async function acknowledgedAfter(use: UseOfBot): Promise<number | null> {
  try {
    await use.acknowledged();
  } catch (error) {
    if (use.acknowledgedAfterMs !== null) throw error;
  }
  return use.acknowledgedAfterMs;
}
