import type { UseOfBot } from '../../src/sandbox/script/use-of-bot.ts';

/** Resolves with the time to the acknowledgement in milliseconds, or null if Discord would have given up before. */
export async function acknowledgedAfter(use: UseOfBot): Promise<number | null> {
  try {
    await use.acknowledged();
  } catch (error) {
    if (use.acknowledgedAfterMs !== null) throw error;
  }
  return use.acknowledgedAfterMs;
}
