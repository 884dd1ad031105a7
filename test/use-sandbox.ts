import { expect, onTestFinished } from 'vitest';
import { type Sandbox, type SandboxOptions, createSandbox } from '../src/sandbox/sandbox.ts';

/**
 * A sandbox for one test. When the test ends it is closed, and the test fails if clients broke rules that the
 * test did not take with `takeViolations`.
 */
export async function useSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await createSandbox(options);
  onTestFinished(async () => {
    const left = sandbox.takeViolations();
    await sandbox[Symbol.asyncDispose]();
    expect(left, 'violations of Discord rules that the test did not take').toEqual([]);
  });
  return sandbox;
}
