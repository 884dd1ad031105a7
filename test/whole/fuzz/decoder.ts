import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';

const PROGRAM = join(import.meta.dirname, 'decode-child.ts');
/** Tolerances for the duration of one frame and for the rounding of timescales. */
const FRAME_SECONDS = 0.05;
const TOLERANCE = 1.02;
/** Each decoder's time limit: some search forever for the next packet of a broken file. */
const DECODE_MS_MAX = 5_000;

const lengths = z.record(z.string(), z.number());

/**
 * Plays admitted files in a separate process, which receives a path and reports how many seconds of the file each
 * decoder plays. A decoder that crashes or does not end proves nothing about lengths, but lengths that were reported
 * earlier still count.
 */
export class Decoder implements Disposable {
  #child: ChildProcess | undefined;

  /** Returns what is wrong with a reported length, or `undefined` if no decoder plays the file for longer. */
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
      const played: Record<string, number> = {};
      const kill = (): void => void child.kill('SIGKILL');
      let timer = setTimeout(kill, DECODE_MS_MAX);
      const end = (): void => {
        clearTimeout(timer);
        child.off('message', onMessage).off('exit', onExit);
        resolve(played);
      };
      const onMessage = (said: unknown): void => {
        if (said === null) return end();
        Object.assign(played, lengths.parse(said));
        clearTimeout(timer);
        timer = setTimeout(kill, DECODE_MS_MAX);
      };
      const onExit = (): void => {
        this.#child = undefined;
        end();
      };
      child.on('message', onMessage).on('exit', onExit);
      child.send(path);
    });
  }
}
