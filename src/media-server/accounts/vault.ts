import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts secrets that must be readable again, with AES-256-GCM using a key derived from the data folder's master key.
 */
export class Vault {
  readonly #key: Buffer;
  /**
   * The key that signs output and upload links. It is derived from the master key, so links survive a
   * restart.
   */
  readonly linkKey: string;

  /** `masterKey` is 32 random bytes. */
  constructor(masterKey: Uint8Array) {
    this.#key = derive(masterKey, 'seal');
    this.linkKey = derive(masterKey, 'links').toString('hex');
  }

  seal(text: string): Uint8Array {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce);
    return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  }

  /** Throws if `sealed` was encrypted with another key or was changed. */
  open(sealed: Uint8Array): string {
    const bytes = Buffer.from(sealed);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([
      decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)),
      decipher.final(),
    ]).toString('utf8');
  }
}

function derive(masterKey: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', `media-server ${purpose}`, 32));
}
