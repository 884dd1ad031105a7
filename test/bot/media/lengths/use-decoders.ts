import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { DecodedLengths } from './decoded-lengths.ts';

export type Decode = (path: string) => Promise<DecodedLengths>;

/**
 * Starts the programs that decode files in a separate process, because forged files may crash it. All tests of a test
 * file share the process.
 */
export function useDecoders(): Decode {
  let child: ChildProcess | undefined;
  beforeAll(() => {
    const program = join(import.meta.dirname, 'decode-child.ts');
    child = fork(program, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execPath: process.execPath });
  });
  afterAll(() => {
    child?.kill();
  });
  return async (path) => {
    if (!child?.connected) throw new Error('The decoders are gone');
    const ended = new AbortController();
    const answer = once(child, 'message', { signal: ended.signal });
    const exit = once(child, 'exit', { signal: ended.signal }).then(() => {
      throw new Error('A decoder broke down');
    });
    try {
      child.send(path);
      const [lengths] = (await Promise.race([answer, exit])) as [DecodedLengths];
      return lengths;
    } finally {
      ended.abort();
      await Promise.allSettled([answer, exit]);
    }
  };
}
