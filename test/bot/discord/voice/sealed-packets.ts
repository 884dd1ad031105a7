import { createCipheriv } from 'node:crypto';
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { TRANSPORT_MODES } from '../../../../src/bot/discord/voice/transport-cipher.ts';

/** One speech packet before encryption. */
export interface PlainPacket {
  readonly payload: Uint8Array;
  readonly sequence?: number;
  readonly timestamp?: number;
  readonly ssrc?: number;
  /** The body of the header extension, a multiple of 4 bytes long. If it is missing, the packet has no extension. */
  readonly extension?: Uint8Array;
  /** The number of padding bytes after the payload. */
  readonly padding?: number;
  readonly payloadType?: number;
}

export const KEY: Uint8Array = new Uint8Array(32).fill(7);
export const AES: string = TRANSPORT_MODES[0];
export const XCHACHA: string = TRANSPORT_MODES[1];

/** Encrypts packets as Discord's voice servers do, with a counter as the nonce. */
export class Sealer {
  readonly #mode: string;
  readonly #key: Uint8Array;
  #counter = 0;

  constructor(mode: string = AES, key: Uint8Array = KEY) {
    this.#mode = mode;
    this.#key = key;
  }

  seal(packet: PlainPacket): Buffer {
    const { payload, extension, padding = 0 } = packet;
    const header = headerOf(packet);
    const tail = Buffer.alloc(padding);
    if (padding > 0) tail.writeUInt8(padding, padding - 1);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE((this.#counter += 1));
    const plain = Buffer.concat([extension ?? Buffer.alloc(0), payload, tail]);
    return Buffer.concat([header, this.#sealed(plain, header, counter), counter]);
  }

  #sealed(plain: Buffer, header: Buffer, counter: Buffer): Uint8Array {
    const nonce = Buffer.alloc(this.#mode === AES ? 12 : 24);
    counter.copy(nonce);
    if (this.#mode !== AES) return xchacha20poly1305(this.#key, nonce, header).encrypt(plain);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: 16 });
    cipher.setAAD(header);
    return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }
}

function headerOf({
  sequence = 1,
  timestamp = 960,
  ssrc = 100,
  extension,
  padding = 0,
  payloadType = 120,
}: PlainPacket): Buffer {
  const header = Buffer.alloc(extension ? 16 : 12);
  header.writeUInt8(0x80 | (padding > 0 ? 0x20 : 0) | (extension ? 0x10 : 0), 0);
  header.writeUInt8(payloadType, 1);
  header.writeUInt16BE(sequence, 2);
  header.writeUInt32BE(timestamp, 4);
  header.writeUInt32BE(ssrc, 8);
  if (extension) {
    header.writeUInt16BE(0xbede, 12);
    header.writeUInt16BE(extension.length / 4, 14);
  }
  return header;
}
