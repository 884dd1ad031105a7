import type { Clock, Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { Database } from '../store/database.ts';
import type { ConsoleBoard } from './board.ts';
import { ConsoleRefusal } from './console-refusal.ts';
import type { WireChange } from './console-wire.ts';

/** A page that receives changes. */
export interface BoardListener {
  /** Whether the page may still receive changes. This is checked before every change and every half second. */
  mayReceive(): boolean;
  send(change: WireChange): void;
  /** Sends a sign of life, so that a quiet connection is not mistaken for a broken one. */
  beat(): void;
  end(): void;
}

interface BoardWatchOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly board: ConsoleBoard;
}

const LOOK_MS = 500;
const BEAT_MS = 15_000;
const LISTENERS_MAX = 16;

/**
 * Sends each change of the board to the listeners, no matter which process made it. While there are listeners, it looks
 * for changes in the database twice a second, and at once when `look` is called.
 */
export class BoardWatch implements Disposable {
  readonly #options: BoardWatchOptions;
  readonly #listeners = new Set<BoardListener>();
  /** Each part of the board as it was last sent, as JSON. */
  #sent = new Map<string, string>();
  #mark = '';
  #beatAt = 0;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: BoardWatchOptions) {
    this.#options = options;
  }

  /** Whether the largest allowed number of listeners is reached. */
  get isFull(): boolean {
    return this.#listeners.size >= LISTENERS_MAX;
  }

  /**
   * Sends everything to a new listener, and each change from then on. Throws `ConsoleRefusal` if there are
   * too many listeners.
   */
  add(listener: BoardListener): void {
    if (this.#isStopped) throw new ConsoleRefusal('failed', 'The media server is stopping.');
    if (this.isFull) {
      throw new ConsoleRefusal('limited', 'The console is open too often. Please close another page of it.');
    }
    this.look();
    listener.send(this.#options.board.read());
    this.#listeners.add(listener);
    this.#plan();
  }

  remove(listener: BoardListener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#sent.clear();
    this.#mark = '';
  }

  /** Sends all changes since the last call. After an error, the next call tries again. */
  look(): void {
    try {
      this.#look();
    } catch (error) {
      this.#options.logger.error({ error }, 'Cannot look for changes to show in the console');
    }
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
    for (const listener of this.#listeners) {
      this.remove(listener);
      listener.end();
    }
  }

  #look(): void {
    for (const listener of [...this.#listeners].filter((one) => !one.mayReceive())) {
      this.remove(listener);
      listener.end();
    }
    const mark = this.#options.db.changeMark();
    if (this.#mark === mark) return;
    const change = this.#changed();
    this.#mark = mark;
    if (Object.keys(change).length === 0) return;
    for (const listener of this.#listeners) listener.send(change);
  }

  #changed(): WireChange {
    const parts = Object.entries(this.#options.board.read()).map(
      ([name, part]) => [name, part, JSON.stringify(part)] as const,
    );
    const changed = parts.filter(([name, , text]) => this.#sent.get(name) !== text);
    this.#sent = new Map(parts.map(([name, , text]) => [name, text]));
    return Object.fromEntries(changed.map(([name, part]) => [name, part]));
  }

  #plan(): void {
    this.#timer ??= this.#options.clock.after(LOOK_MS, () => this.#tick(), { background: true });
  }

  #tick(): void {
    this.#timer = undefined;
    const { clock } = this.#options;
    this.look();
    if (clock.now() >= this.#beatAt) {
      this.#beatAt = clock.now() + BEAT_MS;
      for (const listener of this.#listeners) listener.beat();
    }
    if (this.#listeners.size > 0) this.#plan();
  }
}
