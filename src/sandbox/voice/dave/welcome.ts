import { MlsError } from './mls-error.ts';
import { CIPHER_SUITE } from './mls.ts';
import { u16, vector } from './tls-bytes.ts';
import { TlsReader } from './tls-reader.ts';

const SECRETS_MAX = 256;

interface Secrets {
  readonly ref: Buffer;
  readonly bytes: Buffer;
}

/**
 * The message that adds new members to a group: it has the same information for all of them, and separate secrets for
 * each.
 */
export class Welcome {
  readonly #secrets: readonly Secrets[];
  readonly #groupInfo: Buffer;

  private constructor(secrets: readonly Secrets[], groupInfo: Buffer) {
    this.#secrets = secrets;
    this.#groupInfo = groupInfo;
  }

  /** Parses the part of an opcode 28 payload that follows the commit. Throws `MlsError`. */
  static read(payload: Uint8Array): Welcome {
    const reader = new TlsReader(payload);
    if (reader.u16() !== CIPHER_SUITE)
      throw new MlsError('invalid', 'Cannot accept a Welcome with another cipher suite');
    const secrets = reader.list(readSecrets, SECRETS_MAX);
    const groupInfo = reader.vector();
    reader.end();
    return new Welcome(secrets, groupInfo);
  }

  /** The number of users that the Welcome adds. */
  get size(): number {
    return this.#secrets.length;
  }

  /** Returns a Welcome for only the owner of this key package, or undefined if the Welcome does not add that user. */
  for(keyPackageRef: Uint8Array): Buffer | undefined {
    const own = this.#secrets.find(({ ref }) => ref.equals(keyPackageRef));
    return own && Buffer.concat([u16(CIPHER_SUITE), vector(own.bytes), vector(this.#groupInfo)]);
  }
}

function readSecrets(reader: TlsReader): Secrets {
  const start = reader.at;
  const ref = reader.vector();
  // Skips the encapsulated key and the ciphertext.
  reader.vector();
  reader.vector();
  return { ref, bytes: reader.between(start, reader.at) };
}
