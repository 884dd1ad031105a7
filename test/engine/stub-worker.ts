import { threadId } from 'node:worker_threads';
import { serveTasks } from '../../src/media-server/engine/pool/serve-tasks.ts';

/**
 * A worker for the pool's tests: `exit` kills it, `hang` never answers, `throw` fails, `thread` tells its id, shared memory makes
 * progress when it is notified and then hangs, all else echoes.
 */
await serveTasks(() =>
  Promise.resolve((task, signal, progress) => {
    if (task === 'exit') process.exit(3);
    if (task === 'throw') throw new TypeError('Broken task');
    if (task === 'thread') return Promise.resolve({ result: threadId });
    if (task instanceof SharedArrayBuffer) {
      const { value } = Atomics.waitAsync(new Int32Array(task), 0, 0);
      void Promise.resolve(value).then(progress);
      return new Promise(() => undefined);
    }
    if (task === 'hang') return new Promise(() => undefined);
    if (task === 'until cancelled') {
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    }
    return Promise.resolve({ result: task });
  }),
);
