import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { serveTasks } from '../../../src/media-server/engine/pool/serve-tasks.ts';

const NAME = randomUUID();

/**
 * A worker for the pool's tests: the task `exit` kills it, `hang` never ends, `throw` fails, `until cancelled` ends
 * only when it is aborted, `process` returns a name that no other worker has, and `environment` returns the names of
 * the worker's environment variables. A task that is a socket's path reports progress whenever the socket sends
 * something, and never ends. All other tasks are echoed.
 */
await serveTasks(() =>
  Promise.resolve((task, signal, progress) => {
    if (task === 'exit') process.exit(3);
    if (task === 'throw') throw new TypeError('Broken task');
    if (task === 'environment') return Promise.resolve({ result: Object.keys(process.env) });
    if (task === 'process') return Promise.resolve({ result: NAME });
    if (typeof task === 'string' && task.endsWith('.sock')) {
      connect(task).on('data', progress);
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
