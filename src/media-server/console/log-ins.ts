import { createHash } from 'node:crypto';
import { BoundedQueue } from '../../base/bounded-queue.ts';
import type { Clock } from '../../base/clock.ts';
import { randomId } from '../../base/ids.ts';
import { consolePasswordMark, isConsolePassword } from '../accounts/console-password.ts';
import type { Database } from '../store/database.ts';
import { ConsoleRefusal } from './console-refusal.ts';
import { type LogInCaller, LogInTries } from './log-in-tries.ts';

/** How long a log-in lasts. */
export const LOG_IN_SECONDS: number = 8 * 3_600;

const LOG_INS_MAX = 16;
/**
 * The maximum number of passwords from other machines that are checked at the same time. Each check occupies a
 * processor for about 30 ms, as well as one of the four threads on which Node.js also reads files.
 */
const COMPARED_MAX = 2;
/** The number of passwords that may wait for a check. */
const WAITING_MAX = 256;
const BUSY_SECONDS = 5;

interface Waiting {
  readonly caller: LogInCaller;
  readonly take: () => void;
}

interface LogIn {
  /** The end of the log-in on the monotonic clock, which cannot be set back. */
  readonly expiresAt: number;
  /** The `consolePasswordMark` of the password that was used. */
  readonly passwordMark: string;
}

/**
 * The console's log-ins, which are identified by tokens. Only the tokens' hashes are kept, and only in memory, so all
 * log-ins end with the process.
 */
export class LogIns {
  readonly #db: Database;
  readonly #clock: Clock;
  /** The log-ins by the hash of their token, oldest first. */
  readonly #logIns = new Map<string, LogIn>();
  readonly #tries: LogInTries;
  readonly #waiting = new BoundedQueue<Waiting>(WAITING_MAX);
  #compared = 0;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    this.#tries = new LogInTries(clock);
  }

  /** Logs in and returns a new token. If there are too many log-ins, the oldest one ends. Throws `ConsoleRefusal`. */
  async logIn(password: string, caller: LogInCaller): Promise<string> {
    const passwordMark = consolePasswordMark(this.#db);
    if (passwordMark === undefined) {
      throw new ConsoleRefusal(
        'refused',
        'There is no password yet: "npm run console -- password" makes one.',
      );
    }
    this.#countTry(caller);
    if (!(await this.#isPassword(password, caller))) {
      throw new ConsoleRefusal(
        'wrong_password',
        'This is not the password. "npm run console -- password" makes a new one.',
      );
    }
    this.#tries.clear(caller);
    const token = randomId('in');
    this.#logIns.set(hashOf(token), {
      passwordMark,
      expiresAt: this.#clock.monotonic() + LOG_IN_SECONDS * 1000,
    });
    this.#keepWithinLimit();
    return token;
  }

  /** Returns whether the token belongs to a valid log-in. */
  holds(token: string): boolean {
    const hash = hashOf(token);
    const logIn = this.#logIns.get(hash);
    if (!logIn) return false;
    const { expiresAt, passwordMark } = logIn;
    if (this.#clock.monotonic() < expiresAt && passwordMark === consolePasswordMark(this.#db)) return true;
    this.#logIns.delete(hash);
    return false;
  }

  /** Keeps a log-in valid after its user has changed the password. */
  keep(token: string): void {
    const hash = hashOf(token);
    const logIn = this.#logIns.get(hash);
    const passwordMark = consolePasswordMark(this.#db);
    if (logIn && passwordMark !== undefined) this.#logIns.set(hash, { ...logIn, passwordMark });
  }

  logOut(token: string): void {
    this.#logIns.delete(hashOf(token));
  }

  /** Counts a try before the password is checked, so that simultaneous tries cannot get around the limit. */
  #countTry(caller: LogInCaller): void {
    const retryAfterSeconds = this.#tries.count(caller);
    if (retryAfterSeconds !== undefined) throw limited(retryAfterSeconds);
  }

  /**
   * Checks a password, and limits how many passwords from other machines are checked at the same time. Throws
   * `ConsoleRefusal` if too many are waiting.
   */
  async #isPassword(text: string, caller: LogInCaller): Promise<boolean> {
    const compare = (): Promise<boolean> => isConsolePassword(this.#db, text.trim().toLowerCase());
    if (caller.isLocal) return await compare();
    if (this.#compared < COMPARED_MAX) this.#compared += 1;
    else await this.#takeTurn(caller);
    try {
      return await compare();
    } finally {
      // The caller with the fewest tries is next.
      const next = this.#waiting.shiftLowest((waiting) => this.#tries.countOf(waiting.caller));
      if (next) next.take();
      else this.#compared -= 1;
    }
  }

  async #takeTurn(caller: LogInCaller): Promise<void> {
    const turn = Promise.withResolvers<void>();
    if (!this.#waiting.push({ caller, take: turn.resolve })) throw limited(BUSY_SECONDS);
    await turn.promise;
  }

  #keepWithinLimit(): void {
    for (const hash of this.#logIns.keys()) {
      if (this.#logIns.size <= LOG_INS_MAX) return;
      this.#logIns.delete(hash);
    }
  }
}

function limited(retryAfterSeconds: number): ConsoleRefusal {
  return new ConsoleRefusal(
    'limited',
    `There were too many tries. Please wait ${retryAfterSeconds} seconds and try again, or log in on the machine itself.`,
    { retryAfterSeconds },
  );
}

/** Tokens are looked up by hash, so that the duration of a lookup reveals nothing about them. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
