import { type ChildProcess, fork } from 'node:child_process';
import { on, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { MediaServer } from '../../../src/media-server/server.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { COMPILED } from '../../helpers/compiled.ts';
import { databaseUrlIn } from '../../db/database-url.ts';
import type { ChildOptions, StepMoment, ToChild, ToParent } from './bot-child.ts';

/** What a bot lives in. */
export interface Surroundings {
  readonly sandbox: Sandbox;
  readonly media: MediaServer;
  readonly dataDir: string;
  /** How the service reaches the bot. Default: directly. */
  readonly publicUrl?: string;
  /** What it runs of the gateway, where it is not alone. */
  readonly sharding?: ChildOptions['sharding'];
  /** What each guild may spend in a month, in micro-dollars. Default 100 USD. */
  readonly budgetMicros?: number;
  /** Lost leases after which a job is given up. Default: never, as a kill from outside says nothing about the step. */
  readonly lostLeasesMax?: number;
}

/** A bot that can be killed. It loads when it is made, and lives from `begin` on. */
export class BotProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown[]>;

  constructor(surroundings: Surroundings) {
    const { sandbox, media, dataDir } = surroundings;
    const { publicUrl = 'loopback', sharding = {}, budgetMicros = 100_000_000 } = surroundings;
    const { lostLeasesMax = Number.MAX_SAFE_INTEGER } = surroundings;
    const { token, apiUrl, cdnHost } = sandbox;
    const { baseUrl, apiKey, signingSecret } = media;
    const databaseUrl = databaseUrlIn(dataDir);
    const place = { token, apiUrl, cdnHost, baseUrl, apiKey, signingSecret };
    const limits = { budgetMicros, lostLeasesMax };
    const options: ChildOptions = { ...place, dataDir, databaseUrl, publicUrl, sharding, ...limits };
    this.#child = fork(join(import.meta.dirname, 'bot-child.ts'), [JSON.stringify(options)], {
      env: { PATH: process.env['PATH'], ...COMPILED },
    });
    this.#exited = once(this.#child, 'exit');
  }

  /** Starts the bot with its clock ahead of the machine's clock. With `dieAt`, it is armed from the start. */
  begin(aheadMs = 0, dieAt?: StepMoment): void {
    this.#say({ beginAheadMs: aheadMs, ...(dieAt ? { dieAt } : {}) });
  }

  /** Resolves with its address once it answers commands. Throws when it dies before. */
  async ready(): Promise<string> {
    return (await this.#said((message) => ('webUrl' in message ? message : undefined))).webUrl;
  }

  /** Lets it die at that moment of the next job to come there. */
  async arm(dieAt: StepMoment): Promise<void> {
    this.#say({ dieAt });
    await this.#said((message) => ('armed' in message ? message : undefined));
  }

  /** Resolves after so many moments of steps of jobs, or when the signal aborts. */
  async stepped(moments: number, signal: AbortSignal): Promise<void> {
    for await (const [message] of on(this.#child, 'message', { signal })) {
      if ('moment' in (message as ToParent)) moments -= 1;
      if (moments <= 0) return;
    }
  }

  /** Resolves with the signal that ended it. */
  async died(): Promise<string | null> {
    const [, signal] = (await this.#exited) as [number | null, string | null];
    return signal;
  }

  /** Resolves once it stands still, which takes an armed SIGSTOP. Needs Linux's `/proc`. */
  async paused(signal: AbortSignal): Promise<void> {
    const path = `/proc/${this.#child.pid}/stat`;
    for (let state = ''; state !== 'T';) {
      await wait(20, undefined, { signal });
      const stat = await readFile(path, 'utf8');
      state = stat.slice(stat.lastIndexOf(')') + 2)[0] ?? '';
    }
  }

  /** Lets it go on where it stood still. */
  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** SIGKILL; resolves when it is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }

  #say(message: ToChild): void {
    // It may be killed before it has heard that.
    this.#child.send(message, () => undefined);
  }

  async #said<T>(wanted: (message: ToParent) => T | undefined): Promise<T> {
    const silenced = new AbortController();
    void this.#exited.then(() => silenced.abort(new Error('The bot died before it answered')));
    for await (const [message] of on(this.#child, 'message', { signal: silenced.signal })) {
      const said = wanted(message as ToParent);
      if (said !== undefined) return said;
    }
    throw new Error('The bot fell silent');
  }
}
