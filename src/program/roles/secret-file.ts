import { readFile } from 'node:fs/promises';
import type { Clock, Timer } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';

/** A file that should hold a secret does not. */
class SecretFileError extends ServiceError<'unreadable' | 'malformed'> {}

const READ_AGAIN_MS = 2_000;
const SECRET = /^[\x21-\x7e]{1,500}$/;
const SECRETS_MAX = 5;

interface SecretFileOptions {
  /** Holds one secret, or up to five separated by commas; white space around them does not count. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Secrets in a file that is read again every two seconds, so that whoever looks after the program changes them
 * without a restart. While the file cannot be read, or does not hold secrets, the last ones stay.
 */
export class SecretFile implements Disposable {
  readonly #options: SecretFileOptions;
  #secrets: readonly string[];
  #timer: Timer | undefined;
  #isTold = false;

  private constructor(options: SecretFileOptions, secrets: readonly string[]) {
    this.#options = options;
    this.#secrets = secrets;
    this.#plan();
  }

  /** Throws `SecretFileError` when there is nothing to begin with. */
  static async open(options: SecretFileOptions): Promise<SecretFile> {
    return new SecretFile(options, await readSecrets(options.path));
  }

  /** The secrets as last read; at least one. */
  get all(): readonly string[] {
    return this.#secrets;
  }

  /** The first of them. */
  get first(): string {
    return this.#secrets[0] ?? '';
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #plan(): void {
    const { clock } = this.#options;
    this.#timer = clock.after(READ_AGAIN_MS, () => void this.#readAgain(), { background: true });
  }

  async #readAgain(): Promise<void> {
    const { path, log } = this.#options;
    try {
      const secrets = await readSecrets(path);
      if (secrets.join() !== this.#secrets.join()) log.info({ path }, 'A secret was changed in its file');
      this.#secrets = secrets;
      this.#isTold = false;
    } catch (error) {
      if (!this.#isTold) log.error({ path, error }, 'Cannot read a secret again: the last one stays in use');
      this.#isTold = true;
    }
    if (this.#timer) this.#plan();
  }
}

async function readSecrets(path: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new SecretFileError('unreadable', `Cannot read the secret in "${path}"`, { cause });
  });
  const secrets = text.split(',').map((part) => part.trim());
  if (secrets.length > SECRETS_MAX || !secrets.every((secret) => SECRET.test(secret))) {
    throw new SecretFileError(
      'malformed',
      `Cannot use the secret in "${path}": it must be printable characters without spaces`,
    );
  }
  return secrets;
}
