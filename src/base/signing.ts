import { createHmac, timingSafeEqual } from 'node:crypto';

/** Returns the HMAC-SHA256 of the concatenated parts, keyed with `secret`, in hex. */
export function hmacHex(secret: string, ...parts: readonly (string | Uint8Array)[]): string {
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest('hex');
}

/** Compares two hex digests in constant time; a different length or a non-hex character is a mismatch. */
export function equalHex(expected: string, received: string): boolean {
  if (expected.length !== received.length || !/^[0-9a-f]+$/i.test(received)) return false;
  return timingSafeEqual(Buffer.from(expected, 'hex'), Buffer.from(received, 'hex'));
}

/** Compares two secrets in constant time, regardless of their lengths. */
export function equalSecret(expected: string, received: string): boolean {
  return equalHex(hmacHex('compare', expected), hmacHex('compare', received));
}

/** Returns the value of the service's signature header: `t=<unix_seconds>,v1=<hex>` over `<t>.<raw body>`. */
export function signDelivery(secret: string, timestampSeconds: number, body: Uint8Array): string {
  return `t=${timestampSeconds},v1=${hmacHex(secret, `${timestampSeconds}.`, body)}`;
}
