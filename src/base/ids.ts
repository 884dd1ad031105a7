import { createHash, randomBytes } from 'node:crypto';

/** Returns an unguessable id: `prefix` and 160 random bits in lower-case base 32, safe in URLs and file names. */
export function randomId(prefix: string): string {
  return `${prefix}_${base32(randomBytes(20))}`;
}

/**
 * Returns an id that depends only on the prefix and the parts, so that repeats are recognised. It has 125 bits and,
 * with the prefix, at most `prefix.length + 26` characters.
 */
export function derivedId(prefix: string, ...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:${part}`);
  return `${prefix}_${base32(hash.digest()).slice(0, 25)}`;
}

/** Returns a secret of 256 random bits that is shown once to its user: 43 characters, safe in URLs and headers. */
export function randomKey(): string {
  return randomBytes(32).toString('base64url');
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

function base32(bytes: Uint8Array): string {
  let text = '';
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(buffer >> bits) & 31];
    }
  }
  return text;
}
