import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { vector } from './tls-bytes.ts';
import type { TlsReader } from './tls-reader.ts';

/** The constants of MLS 1.0 (RFC 9420) that DAVE version 1 uses. */
export const MLS_VERSION = 1;
/** The cipher suite DHKEMP256_AES128GCM_SHA256_P256. */
export const CIPHER_SUITE = 2;
export const WIRE_FORMATS = { publicMessage: 1, keyPackage: 5 } as const;
export const CONTENT_TYPES = { proposal: 2, commit: 3 } as const;
export const SENDER_TYPES = { member: 1, external: 2 } as const;
export const PROPOSAL_TYPES = { add: 1, remove: 3 } as const;
export const BASIC_CREDENTIAL = 1;

const POINT_BYTES = 65;

/** Returns the bytes to sign. The label prevents a signature for one purpose from being used for another. */
export function signedContent(label: string, content: Uint8Array): Buffer {
  return Buffer.concat([vector(Buffer.from(`MLS 1.0 ${label}`)), vector(content)]);
}

/** Returns the hash that identifies a key package or a proposal. */
export function refHash(label: string, value: Uint8Array): Buffer {
  return createHash('sha256')
    .update(vector(Buffer.from(`MLS 1.0 ${label} Reference`)))
    .update(vector(value))
    .digest();
}

/** Whether `signature` was made for `content` by the key at `point`, an uncompressed P-256 point. */
export function verifyWithLabel(
  point: Uint8Array,
  label: string,
  content: Uint8Array,
  signature: Uint8Array,
): boolean {
  const key = publicKeyAt(point);
  return key !== undefined && verify('sha256', signedContent(label, content), key, signature);
}

/** Reads the identity of a basic credential, or returns undefined for another kind of credential. */
export function readIdentity(reader: TlsReader): Buffer | undefined {
  return reader.u16() === BASIC_CREDENTIAL ? reader.vector() : undefined;
}

function publicKeyAt(point: Uint8Array): KeyObject | undefined {
  if (point.byteLength !== POINT_BYTES || point[0] !== 4) return undefined;
  const x = Buffer.from(point.subarray(1, 33)).toString('base64url');
  const y = Buffer.from(point.subarray(33)).toString('base64url');
  try {
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  } catch {
    return undefined;
  }
}
