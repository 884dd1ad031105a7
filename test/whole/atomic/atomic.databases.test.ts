import { describe, expect, test } from 'vitest';
import { dump } from './dump.ts';
import { useFailingStatements } from './failing-statements.ts';
import { USE_CASES, useParts } from './use-cases.ts';

/** More statements than any use case runs. */
const STATEMENTS_MAX = 200;

describe.each(USE_CASES)('$name', ({ given, act }) => {
  test('happens completely or not at all, whichever statement fails', async () => {
    const failing = useFailingStatements();
    const parts = await useParts();
    await given?.(parts);
    const before = await dump(parts.db);
    const failed: string[] = [];
    for (let n = 1; ; n++) {
      expect(n).toBeLessThan(STATEMENTS_MAX);
      failing.fail(n);
      const outcome = await settled(act(parts));
      const statement = failing.stop();
      if (statement === undefined) {
        expect(outcome).toEqual({ isDone: true });
        break;
      }
      failed.push(statement);
      expect({ statement, ...outcome }).toMatchObject({ statement, isDone: false });
      expect({ statement, tables: await dump(parts.db) }).toEqual({ statement, tables: before });
    }
    // Each use case runs at least one statement that changes something, and the commit.
    expect(failed.length).toBeGreaterThan(1);
    expect(await dump(parts.db)).not.toEqual(before);
  });
});

describe.each(USE_CASES.filter(({ repeats }) => repeats === 'harmless'))('$name', ({ given, act }) => {
  test('changes nothing when it is repeated, without relying on a constraint of the database', async () => {
    const failing = useFailingStatements();
    const parts = await useParts();
    await given?.(parts);
    await act(parts);
    const once = await dump(parts.db);
    await parts.clock.advance(1_000);
    parts.pipeline.clock.shift(1_000);

    await settled(act(parts));

    expect(await dump(parts.db)).toEqual(once);
    expect(failing.refusals).toEqual([]);
  });
});

async function settled(
  work: Promise<unknown>,
): Promise<{ readonly isDone: boolean; readonly error?: unknown }> {
  try {
    await work;
    return { isDone: true };
  } catch (error) {
    return { isDone: false, error };
  }
}
