import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { programOf } from '../helpers/programs.ts';

/**
 * Starts `count` processes of `script` with `args`, signals them at the same moment once all are ready, and
 * returns the answer of each. A script reports `ready`, waits for any message, and replies with its answer.
 */
export async function runTogether(script: URL, count: number, args: readonly string[]): Promise<unknown[]> {
  const children = Array.from({ length: count }, (_, index) => start(script, [...args, String(index)]));
  await Promise.all(children.map((child) => nextMessage(child)));
  const answers = children.map((child) => nextMessage(child));
  for (const child of children) child.send('go');
  return Promise.all(answers);
}

function start(script: URL, args: string[]): ChildProcess {
  const child = fork(programOf(script), args, {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function nextMessage(child: ChildProcess): Promise<unknown> {
  const died = once(child, 'exit').then(([code]) => {
    throw new Error(`The process ended with ${String(code)} before it answered`);
  });
  const [message] = await Promise.race([once(child, 'message'), died]);
  return message;
}
