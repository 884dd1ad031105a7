import { MlsError } from './mls-error.ts';
import { CIPHER_SUITE } from './mls.ts';
import { u16, vector } from './tls-bytes.ts';
import { TlsReader } from './tls-reader.ts';

const SECRETS_MAX = 256;

interface Secrets {
  readonly ref: Buffer;
  readonly bytes: Buffer;
}

/** What lets newcomers into a group: the same information for all, and secrets for each. */
export class Welcome {
  readonly #secrets: readonly Secrets[];
  readonly #groupInfo: Buffer;

  private constructor(secrets: readonly Secrets[], groupInfo: Buffer) {
    this.#secrets = secrets;
    this.#groupInfo = groupInfo;
  }

  /** Reads the part of a payload of opcode 28 behind the commit. Throws `MlsError`. */
  static read(payload: Uint8Array): Welcome {
    const reader = new TlsReader(payload);
    if (reader.u16() !== CIPHER_SUITE)
      throw new MlsError('invalid', 'Cannot take a Welcome of another cipher suite');
    const secrets = reader.list(readSecrets, SECRETS_MAX);
    const groupInfo = reader.vector();
    reader.end();
    return new Welcome(secrets, groupInfo);
  }

  /** How many it is for. */
  get size(): number {
    return this.#secrets.length;
  }

  /** The Welcome for the owner of one key package alone, or undefined when there is none. */
  for(keyPackageRef: Uint8Array): Buffer | undefined {
    const own = this.#secrets.find(({ ref }) => ref.equals(keyPackageRef));
    return own && Buffer.concat([u16(CIPHER_SUITE), vector(own.bytes), vector(this.#groupInfo)]);
  }
}

function readSecrets(reader: TlsReader): Secrets {
  const start = reader.at;
  const ref = reader.vector();
  // The encapsulated key and the ciphertext.
  reader.vector();
  reader.vector();
  return { ref, bytes: reader.between(start, reader.at) };
}
