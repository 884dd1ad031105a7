import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';

const PROGRAM = join(import.meta.dirname, '../../bot/media/lengths/decode-child.ts');
/** The duration of a picture and the rounding of timescales. */
const FRAME_SECONDS = 0.05;
const TOLERANCE = 1.02;
const DECODE_MS_MAX = 20_000;

const lengths = z.record(z.string(), z.number());

/**
 * Plays admitted files in a separate process: it receives a path and answers how many seconds each decoder
 * plays of the file. A decoder that crashes proves nothing about lengths.
 */
export class Decoder implements Disposable {
  #child: ChildProcess | undefined;

  /** Returns the error of a reported length, or `undefined` if no decoder plays the file for longer. */
  async problemOf(path: string, toldSeconds: number): Promise<string | undefined> {
    const played = Object.entries(await this.#play(path));
    const long = played.find(([, seconds]) => seconds > toldSeconds * TOLERANCE + FRAME_SECONDS);
    return long && `it plays longer than reported, as ${long[0]} decodes it`;
  }

  [Symbol.dispose](): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  #play(path: string): Promise<Readonly<Record<string, number>>> {
    const child = (this.#child ??= fork(PROGRAM, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }));
    return new Promise((resolve) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), DECODE_MS_MAX);
      const end = (answer: unknown): void => {
        clearTimeout(timer);
        child.off('message', end).off('exit', onExit);
        resolve(lengths.safeParse(answer).data ?? {});
      };
      const onExit = (): void => {
        this.#child = undefined;
        end({});
      };
      child.on('message', end).on('exit', onExit);
      child.send(path);
    });
  }
}
