import { type ChildProcess, fork } from 'node:child_process';
import { on, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { MasqueradeOptions } from '../../src/compose/masquerade-options.ts';
import type { StepMoment, ToChild, ToParent } from './bot-child.ts';
import { COMPILED } from './compiled.ts';
import { programOf } from './programs.ts';

const PROGRAM = new URL('bot-child.ts', import.meta.url);

/** A bot in its own process that can be killed. It loads when it is created, and starts with `begin`. */
export class BotProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown[]>;

  /**
   * Takes options that JSON can represent, and ignores the logger and the parts that bots in one process share.
   */
  constructor(
    { logger: _logger, mediaPool: _mediaPool, charts: _charts, ...options }: MasqueradeOptions,
    env: NodeJS.ProcessEnv = {},
  ) {
    this.#child = fork(programOf(PROGRAM), [JSON.stringify(options)], {
      execArgv: [],
      env: { PATH: process.env['PATH'], ...COMPILED, ...env },
    });
    this.#exited = once(this.#child, 'exit');
  }

  /** Starts the bot with its clock ahead of the machine's clock. With `dieAt`, it is armed from the start. */
  begin(aheadMs = 0, dieAt?: StepMoment): void {
    this.#send({ beginAheadMs: aheadMs, ...(dieAt ? { dieAt } : {}) });
  }

  /** Resolves with the bot's web address once it answers commands. Rejects if the process dies first. */
  async ready(): Promise<string> {
    return (await this.#received((message) => ('webUrl' in message ? message : undefined))).webUrl;
  }

  /** Makes the process die (or pause) as soon as a job reaches that moment. */
  async arm(dieAt: StepMoment): Promise<void> {
    this.#send({ dieAt });
    await this.#received((message) => ('armed' in message ? message : undefined));
  }

  /** Resolves once this many moments of job steps have been reported. Rejects when the signal aborts. */
  async stepped(moments: number, signal: AbortSignal): Promise<void> {
    for await (const [message] of on(this.#child, 'message', { signal })) {
      if ('moment' in (message as ToParent)) moments -= 1;
      if (moments <= 0) return;
    }
  }

  /** Resolves with the signal that ended the process. */
  async died(): Promise<string | null> {
    const [, signal] = (await this.#exited) as [number | null, string | null];
    return signal;
  }

  /** Resolves once the process is stopped; it must be armed with SIGSTOP. Needs Linux's `/proc`. */
  async paused(signal: AbortSignal): Promise<void> {
    const path = `/proc/${this.#child.pid}/stat`;
    for (let state = ''; state !== 'T';) {
      await wait(20, undefined, { signal });
      const stat = await readFile(path, 'utf8');
      state = stat.slice(stat.lastIndexOf(')') + 2)[0] ?? '';
    }
  }

  /** Continues a stopped process. */
  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** Kills the process with SIGKILL, and resolves when it has exited. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }

  #send(message: ToChild): void {
    // The process may be killed before it receives the message.
    this.#child.send(message, () => undefined);
  }

  async #received<T>(wanted: (message: ToParent) => T | undefined): Promise<T> {
    const silenced = new AbortController();
    void this.#exited.then(() => silenced.abort(new Error('The bot died before it answered')));
    for await (const [message] of on(this.#child, 'message', { signal: silenced.signal })) {
      const received = wanted(message as ToParent);
      if (received !== undefined) return received;
    }
    throw new Error('The bot did not answer in time');
  }
}
