import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { randomId } from '../../base/ids.ts';
import { consolePasswordMark, isConsolePassword } from '../accounts/console-password.ts';
import type { Database } from '../store/database.ts';
import { ConsoleRefusal } from './console-refusal.ts';

/** How long somebody stays logged in. */
export const LOG_IN_SECONDS: number = 8 * 3_600;

const LOG_INS_MAX = 16;
/** Passwords tried within the window, by all callers together, before everybody waits. */
const TRIES_MAX = 5;
const TRIES_WINDOW_MS = 60_000;

interface LogIn {
  /** By the clock that nobody sets back. */
  readonly expiresAt: number;
  /** Of the password it was made with. */
  readonly passwordMark: string;
}

/** Who is logged in to the console: by tokens that exist here only as hashes, and end with the process. */
export class LogIns {
  readonly #db: Database;
  readonly #clock: Clock;
  /** By hash of the token, the oldest first. */
  readonly #logIns = new Map<string, LogIn>();
  #tries: readonly number[] = [];

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** The token of a new log-in; beyond the limit the oldest one ends. Throws `ConsoleRefusal`. */
  async logIn(password: string): Promise<string> {
    const passwordMark = consolePasswordMark(this.#db);
    if (passwordMark === undefined) {
      throw new ConsoleRefusal(
        'refused',
        'There is no password yet: "npm run console -- password" makes one.',
      );
    }
    this.#countTry();
    if (!(await isConsolePassword(this.#db, password.trim().toLowerCase()))) {
      throw new ConsoleRefusal(
        'wrong_password',
        'This is not the password. "npm run console -- password" makes a new one.',
      );
    }
    this.#tries = [];
    const token = randomId('in');
    this.#logIns.set(hashOf(token), {
      passwordMark,
      expiresAt: this.#clock.monotonic() + LOG_IN_SECONDS * 1000,
    });
    this.#keepWithinLimit();
    return token;
  }

  /** Whether the token is that of a log-in that lasts. */
  holds(token: string): boolean {
    const hash = hashOf(token);
    const logIn = this.#logIns.get(hash);
    if (!logIn) return false;
    const { expiresAt, passwordMark } = logIn;
    if (this.#clock.monotonic() < expiresAt && passwordMark === consolePasswordMark(this.#db)) return true;
    this.#logIns.delete(hash);
    return false;
  }

  /** Lets this log-in go on under the password of now: of somebody who has just changed it. */
  keep(token: string): void {
    const hash = hashOf(token);
    const logIn = this.#logIns.get(hash);
    const passwordMark = consolePasswordMark(this.#db);
    if (logIn && passwordMark !== undefined) this.#logIns.set(hash, { ...logIn, passwordMark });
  }

  logOut(token: string): void {
    this.#logIns.delete(hashOf(token));
  }

  /** Counts before it is known whether the password is right, so that tries at once are no way around. */
  #countTry(): void {
    const now = this.#clock.monotonic();
    this.#tries = this.#tries.filter((at) => at > now - TRIES_WINDOW_MS);
    const [oldest] = this.#tries;
    if (oldest !== undefined && this.#tries.length >= TRIES_MAX) {
      const retryAfterSeconds = Math.ceil((oldest + TRIES_WINDOW_MS - now) / 1000);
      throw new ConsoleRefusal(
        'limited',
        `That were too many tries. Please wait ${retryAfterSeconds} seconds, then try again.`,
        { retryAfterSeconds },
      );
    }
    this.#tries = [...this.#tries, now];
  }

  #keepWithinLimit(): void {
    for (const hash of this.#logIns.keys()) {
      if (this.#logIns.size <= LOG_INS_MAX) return;
      this.#logIns.delete(hash);
    }
  }
}

/** What is looked up is a hash, so that the time it takes tells nothing about tokens. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
