import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { Report } from '../../../src/bot/money/reconciliation/report.ts';
import type { BotFigures, BotPlace, FromBot, ToBot } from './bot-wire.ts';

const PROGRAM = new URL('bot-program.ts', import.meta.url);
const ANSWER_MS_MAX = 120_000;
const END_MS_MAX = 15_000;

/** A bot in a separate process, so that its memory, sockets and timers can be measured. */
export class BotProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown[]>;

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#exited = once(child, 'exit');
  }

  /** Resolves once the bot answers commands. */
  static async start(sandbox: Sandbox, place: BotPlace): Promise<BotProcess> {
    const bot = new BotProcess(
      fork(PROGRAM, [JSON.stringify(place)], {
        env: { ...process.env, NODE_EXTRA_CA_CERTS: sandbox.caFile },
        execArgv: ['--expose-gc'],
      }),
    );
    await bot.#said('ready');
    return bot;
  }

  async measure(): Promise<BotFigures> {
    return (await this.#ask('measure', 'figures')).figures;
  }

  /** Compares the bot's books with the service's; null if the service could not be reached. */
  async reconcile(): Promise<Report | null> {
    return (await this.#ask('reconcile', 'report')).report;
  }

  /** Returns whether the process ended by itself, which means that nothing was left open. */
  async stop(): Promise<boolean> {
    await this.#ask('stop', 'stopped');
    const late = AbortSignal.timeout(END_MS_MAX);
    const isLate = once(late, 'abort').then(() => false);
    return Promise.race([this.#exited.then(([code]) => code === 0), isLate]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  #ask<K extends FromBot['kind']>(kind: ToBot['kind'], answer: K): Promise<Extract<FromBot, { kind: K }>> {
    const said = this.#said(answer);
    this.#child.send({ kind } satisfies ToBot);
    return said;
  }

  async #said<K extends FromBot['kind']>(kind: K): Promise<Extract<FromBot, { kind: K }>> {
    const signal = AbortSignal.timeout(ANSWER_MS_MAX);
    const gone = this.#exited.then(() => {
      throw new Error(`The bot ended before it was ${kind}`);
    });
    const [message] = (await Promise.race([once(this.#child, 'message', { signal }), gone])) as [FromBot];
    if (message.kind !== kind) throw new TypeError(`The bot sent "${message.kind}" instead of "${kind}"`);
    return message as Extract<FromBot, { kind: K }>;
  }
}
