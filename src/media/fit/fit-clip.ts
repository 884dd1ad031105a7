import { fork } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '../../base/child-environment.ts';
import type { FitTask, Fitted } from './fit-task.ts';

const CHILD = new URL(`clip-child.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url);

/**
 * Encodes a clip in a process of its own, which a broken clip may crash, and which dies with the signal. Undefined
 * when it cannot be made to fit: the loss would be too large, or there is no codec here.
 */
export async function fitClip(task: FitTask, signal: AbortSignal): Promise<Fitted | undefined> {
  signal.throwIfAborted();
  const child = fork(fileURLToPath(CHILD), [JSON.stringify(task)], {
    env: childEnvironment(),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const kill = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('exit', resolve);
    });
    signal.throwIfAborted();
    return code === 0 ? { mime: 'video/mp4' } : undefined;
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
    await rm(`${task.toPath}.part`, { force: true });
  }
}
