import { type KeyObject, createDecipheriv, createSecretKey } from 'node:crypto';
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';

/** The encryption modes for packets between a voice server and the bot, under Discord's names. */
export const TRANSPORT_MODES = ['aead_aes256_gcm_rtpsize', 'aead_xchacha20_poly1305_rtpsize'] as const;

export interface TransportKey {
  /** One of `TRANSPORT_MODES`. */
  readonly mode: string;
  /** 32 bytes. */
  readonly key: Uint8Array;
}

const TAG_SIZE = 16;
/**
 * The size in bytes of the counter at the end of a packet. The nonce starts with this counter; its other bytes are
 * zero.
 */
const COUNTER_SIZE = 4;
const AES_NONCE_SIZE = 12;
const XCHACHA_NONCE_SIZE = 24;

/** Decrypts the packets of one connection. */
export class TransportCipher {
  readonly #mode: string;
  readonly #key: Uint8Array;
  /** Created only once, because in Node.js, importing a key takes longer than decrypting a packet. */
  readonly #aesKey: KeyObject;

  constructor({ mode, key }: TransportKey) {
    this.#mode = mode;
    this.#key = key;
    this.#aesKey = createSecretKey(key);
  }

  /**
   * Decrypts the encrypted part of a packet, which starts after `headerSize` bytes; returns null if it is not
   * authentic.
   */
  open(packet: Buffer, headerSize: number): Buffer | null {
    const sealedEnd = packet.length - COUNTER_SIZE;
    if (sealedEnd - headerSize < TAG_SIZE) return null;
    const header = packet.subarray(0, headerSize);
    const sealed = packet.subarray(headerSize, sealedEnd);
    const isAes = this.#mode === TRANSPORT_MODES[0];
    const nonce = Buffer.alloc(isAes ? AES_NONCE_SIZE : XCHACHA_NONCE_SIZE);
    packet.copy(nonce, 0, sealedEnd);
    try {
      return isAes
        ? this.#openAes(nonce, header, sealed)
        : Buffer.from(xchacha20poly1305(this.#key, nonce, header).decrypt(sealed));
    } catch {
      return null;
    }
  }

  #openAes(nonce: Buffer, header: Buffer, sealed: Buffer): Buffer {
    const decipher = createDecipheriv('aes-256-gcm', this.#aesKey, nonce, { authTagLength: TAG_SIZE });
    decipher.setAAD(header);
    decipher.setAuthTag(sealed.subarray(-TAG_SIZE));
    const opened = decipher.update(sealed.subarray(0, -TAG_SIZE));
    decipher.final();
    return opened;
  }
}
