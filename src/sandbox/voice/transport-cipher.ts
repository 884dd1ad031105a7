import { type KeyObject, createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto';
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import type { RtpParts } from './rtp.ts';

/** The encryption modes between clients and the voice server, the preferred one first. */
export const TRANSPORT_MODES = ['aead_aes256_gcm_rtpsize', 'aead_xchacha20_poly1305_rtpsize'] as const;
export type TransportMode = (typeof TRANSPORT_MODES)[number];

export const SECRET_KEY_BYTES = 32;
const TAG_BYTES = 16;
/** Each packet ends with a counter of this size. The rest of the nonce is zeros. */
const COUNTER_BYTES = 4;
const NONCE_BYTES: Readonly<Record<TransportMode, number>> = {
  aead_aes256_gcm_rtpsize: 12,
  aead_xchacha20_poly1305_rtpsize: 24,
};

/** Encrypts packets to one client and decrypts packets from it. */
export class TransportCipher {
  readonly #mode: TransportMode;
  readonly #key: Uint8Array;
  /** Created once, because Node.js takes longer to parse a key's bytes than to decrypt a packet. */
  readonly #aesKey: KeyObject;
  #counter = 0;

  constructor(mode: TransportMode, key: Uint8Array) {
    this.#mode = mode;
    this.#key = key;
    this.#aesKey = createSecretKey(key);
  }

  /** Returns a datagram: the header, the encrypted body, the tag and the counter. */
  seal({ header, body }: RtpParts): Buffer {
    const nonce = Buffer.alloc(NONCE_BYTES[this.#mode]);
    this.#counter = (this.#counter + 1) >>> 0;
    nonce.writeUInt32BE(this.#counter, 0);
    return Buffer.concat([header, this.#encrypt(nonce, header, body), nonce.subarray(0, COUNTER_BYTES)]);
  }

  /**
   * Returns the two parts of a datagram whose first `clearBytes` bytes are not encrypted, or undefined if the datagram
   * was not encrypted with this key.
   */
  open(datagram: Buffer, clearBytes: number): RtpParts | undefined {
    const end = datagram.byteLength - COUNTER_BYTES;
    if (end - TAG_BYTES < clearBytes) return undefined;
    const header = datagram.subarray(0, clearBytes);
    const nonce = Buffer.alloc(NONCE_BYTES[this.#mode]);
    datagram.copy(nonce, 0, end);
    try {
      return { header, body: this.#decrypt(nonce, header, datagram.subarray(clearBytes, end)) };
    } catch {
      return undefined;
    }
  }

  #encrypt(nonce: Buffer, header: Buffer, body: Buffer): Uint8Array {
    if (this.#mode === 'aead_xchacha20_poly1305_rtpsize') {
      return xchacha20poly1305(this.#key, nonce, header).encrypt(body);
    }
    const cipher = createCipheriv('aes-256-gcm', this.#aesKey, nonce);
    cipher.setAAD(header);
    return Buffer.concat([cipher.update(body), cipher.final(), cipher.getAuthTag()]);
  }

  #decrypt(nonce: Buffer, header: Buffer, sealed: Buffer): Buffer {
    if (this.#mode === 'aead_xchacha20_poly1305_rtpsize') {
      return Buffer.from(xchacha20poly1305(this.#key, nonce, header).decrypt(sealed));
    }
    const decipher = createDecipheriv('aes-256-gcm', this.#aesKey, nonce);
    decipher.setAAD(header);
    decipher.setAuthTag(sealed.subarray(sealed.byteLength - TAG_BYTES));
    return Buffer.concat([
      decipher.update(sealed.subarray(0, sealed.byteLength - TAG_BYTES)),
      decipher.final(),
    ]);
  }
}
