import { readFile } from 'node:fs/promises';
import type { Clock, Timer } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { KINDS } from '../../bot/settings/kinds.ts';

/** A file cannot be used as the source of a secret. */
class SecretFileError extends ServiceError<'unreadable' | 'malformed'> {}

const READ_AGAIN_MS = 2_000;

interface SecretFileOptions {
  /** The path of a file with up to five secrets, separated by commas. White space around a secret is ignored. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Secrets in a file that is read again every two seconds, so that the operator can change them without a restart. While
 * the file cannot be read or contains no secrets, the last secrets that were read stay in use.
 */
export class SecretFile implements Disposable {
  readonly #options: SecretFileOptions;
  #secrets: readonly string[];
  #timer: Timer | undefined;
  #isReported = false;

  private constructor(options: SecretFileOptions, secrets: readonly string[]) {
    this.#options = options;
    this.#secrets = secrets;
    this.#plan();
  }

  /** Reads the file for the first time. Throws `SecretFileError` if it holds no secrets. */
  static async open(options: SecretFileOptions): Promise<SecretFile> {
    return new SecretFile(options, await readSecrets(options.path));
  }

  /** The last secrets that were read, at least one. */
  get all(): readonly string[] {
    return this.#secrets;
  }

  /** The first secret. */
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
      this.#isReported = false;
    } catch (error) {
      if (!this.#isReported)
        log.error({ path, error }, 'Cannot read a secret again: the last one stays in use');
      this.#isReported = true;
    }
    if (this.#timer) this.#plan();
  }
}

async function readSecrets(path: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new SecretFileError('unreadable', `Cannot read the secret in "${path}"`, { cause });
  });
  const secrets = KINDS.secrets.read(text);
  if (secrets === undefined || secrets.length === 0) {
    throw new SecretFileError(
      'malformed',
      `Cannot use the secret in "${path}": it must be printable characters without spaces`,
    );
  }
  return secrets;
}
