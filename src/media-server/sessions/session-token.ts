import { createHash, timingSafeEqual } from 'node:crypto';
import { randomId } from '../../base/ids.ts';

/**
 * Creates the token with which a client connects to its session's stream: 160 random bits, of which only the
 * hash is stored.
 */
export function newToken(): { readonly text: string; readonly hash: Uint8Array } {
  const text = randomId('st');
  return { text, hash: hashToken(text) };
}

/** Returns, in constant time, whether the text is the token with this hash. */
export function isToken(text: string, hash: Uint8Array): boolean {
  return timingSafeEqual(hashToken(text), hash);
}

function hashToken(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
