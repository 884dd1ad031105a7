import { expect, onTestFinished } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/sandbox-options.ts';
import { type Sandbox, createSandbox } from '../../src/sandbox/sandbox.ts';
import { DescriptionCheck, hasDescription } from '../sandbox/openapi.ts';

/** With the usual limit, every test would have to wait while the bot publishes its commands. */
export const MANY_COMMANDS: NonNullable<SandboxOptions['commandLimit']> = { requests: 100, windowMs: 5_000 };

let check: DescriptionCheck | undefined;

/**
 * Creates a sandbox for one test. It is closed when the test ends, and the test fails if clients broke rules and the
 * test did not take the violations with `takeViolations`, or if a request or an answer deviates from Discord's own
 * description of its API (checked only if `../shared/discord/openapi.json` is present). `expectedDeviation`
 * matches intended deviations.
 */
export async function useSandbox(
  options: SandboxOptions & { readonly expectedDeviation?: RegExp } = {},
): Promise<Sandbox> {
  const mismatches = new Set<string>();
  const sandbox = await createSandbox({
    ...options,
    observe: (exchange) => {
      options.observe?.(exchange);
      if (!hasDescription) return;
      check ??= new DescriptionCheck();
      for (const problem of check.check(exchange)) {
        if (!options.expectedDeviation?.test(problem)) mismatches.add(problem);
      }
    },
  });
  onTestFinished(async () => {
    const left = sandbox.takeViolations();
    await sandbox[Symbol.asyncDispose]();
    expect(left, 'violations of Discord rules that the test did not take').toEqual([]);
    expect([...mismatches], "deviations from Discord's description").toEqual([]);
  });
  return sandbox;
}
