import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A process for everything that must not be measured with the bot. It is killed when disposed. */
export class BenchChild implements Disposable {
  readonly #child: ChildProcess;

  /** `script` receives `options` as JSON as its first command-line argument. */
  constructor(script: string, options: object = {}) {
    const args = [JSON.stringify(options)];
    this.#child = fork(new URL(script, import.meta.url), args, { serialization: 'advanced' });
  }

  /** Returns the next message from the child process. */
  async says<T>(): Promise<T> {
    const died = once(this.#child, 'exit').then(([code]) => {
      throw new Error(`The process ended with ${String(code)} before it answered`);
    });
    const [message] = (await Promise.race([once(this.#child, 'message'), died])) as [T];
    return message;
  }

  tell(message: object): void {
    this.#child.send(message);
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
  }
}
