import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { LinkedSignal } from '../../../src/base/linked-signal.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { BotPlace, BotReport, BotWay, FromBot, ToBot } from './bot-wire.ts';

const PROGRAM = new URL('bot-program.ts', import.meta.url);

/** A bot in a separate process, so that its processor time and memory can be measured. */
export class BotProcess implements AsyncDisposable {
  /** The bot's Discord user id. */
  readonly id: string;
  readonly #child: ChildProcess;

  private constructor(id: string, child: ChildProcess) {
    this.id = id;
    this.#child = child;
  }

  static async start(sandbox: Sandbox, way: BotWay, place: BotPlace): Promise<BotProcess> {
    const child = fork(PROGRAM, {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: sandbox.caFile },
      execArgv: ['--expose-gc'],
    });
    const answer = await ask(child, { kind: 'start', way, place });
    if (answer.kind !== 'started') throw new TypeError('The bot sent an unexpected message');
    return new BotProcess(answer.userId, child);
  }

  async convert(userIds: readonly string[]): Promise<void> {
    await ask(this.#child, { kind: 'convert', userIds });
  }

  async measure(): Promise<void> {
    await ask(this.#child, { kind: 'measure' });
  }

  async report(): Promise<BotReport> {
    const answer = await ask(this.#child, { kind: 'report' });
    if (answer.kind !== 'report') throw new TypeError('The bot sent an unexpected message');
    return answer.report;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = once(this.#child, 'exit');
    if (this.#child.kill('SIGKILL')) await gone;
  }
}

async function ask(child: ChildProcess, message: ToBot): Promise<FromBot> {
  using stop = new LinkedSignal();
  const answered = once(child, 'message', { signal: stop.signal });
  const gone = once(child, 'exit', { signal: stop.signal }).then(() => {
    throw new Error(`The bot ended when it received "${message.kind}"`);
  });
  child.send(message);
  try {
    const [answer] = (await Promise.race([answered, gone])) as [FromBot];
    return answer;
  } finally {
    stop.abort(new Error('Answered'));
    await Promise.allSettled([answered, gone]);
  }
}
