import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { MasqueradeOptions } from '../../src/compose/masquerade-options.ts';

/** A bot that answers commands, in a process of its own that can be killed; options must be such as JSON can tell. */
export async function useBotProcess(
  { logger: _logger, mediaPool: _mediaPool, ...options }: MasqueradeOptions,
  env: NodeJS.ProcessEnv = {},
): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'bot-process.ts'), [JSON.stringify(options)], {
    execArgv: [],
    env: { PATH: process.env['PATH'], ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error('The bot died before it answered');
    }),
  ]);
  return child;
}

/** Kills it as the system does that runs out of memory. */
export async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
