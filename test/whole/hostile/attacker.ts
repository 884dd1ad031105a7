import { type ChildProcess, fork } from 'node:child_process';
import { on, once } from 'node:events';
import { join } from 'node:path';
import { COMPILED } from '../../helpers/compiled.ts';
import type { FromAttacker, ToAttacker } from './attacker-child.ts';
import type { HeldSocketsOptions } from './held-sockets.ts';
import type { StormFigures, StormOptions } from './webhook-storm.ts';

/** Attacks from a separate process, so that the attacker's work does not delay the measurements. */
export class Attacker implements AsyncDisposable {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async open(): Promise<Attacker> {
    const child = fork(join(import.meta.dirname, 'attacker-child.ts'), {
      env: { PATH: process.env['PATH'], ...COMPILED },
    });
    await once(child, 'message');
    return new Attacker(child);
  }

  /** Opens connections and holds them until the attacker is disposed of. */
  async hold(options: HeldSocketsOptions): Promise<void> {
    await this.#ask({ hold: options });
  }

  /** Returns, for each call of `hold` in order, how many of its connections are still open. */
  async held(): Promise<readonly number[]> {
    return (await this.#ask({ count: true })).held ?? [];
  }

  /** Posts forged webhooks for the seconds that the options set. */
  async storm(options: StormOptions): Promise<StormFigures> {
    const { storm } = await this.#ask({ storm: options });
    if (!storm) throw new Error('The attacker did not report the result of its storm');
    return storm;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  async #ask(message: ToAttacker): Promise<FromAttacker> {
    const id = crypto.randomUUID();
    this.#child.send({ ...message, id });
    for await (const [answer] of on(this.#child, 'message', { close: ['exit'] })) {
      if ((answer as FromAttacker).id === id) return answer as FromAttacker;
    }
    throw new Error('The attacker died');
  }
}
