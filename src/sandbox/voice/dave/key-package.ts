import { readLeafNode } from './leaf-node.ts';
import { MlsError } from './mls-error.ts';
import { CIPHER_SUITE, MLS_VERSION, WIRE_FORMATS, refHash, verifyWithLabel } from './mls.ts';
import { TlsReader } from './tls-reader.ts';

/** Largest key package a client may send; davey's have about 400 bytes. */
export const KEY_PACKAGE_BYTES_MAX = 4096;

/** What somebody gives the voice server so that members can add them. */
export interface KeyPackage {
  readonly userId: string;
  readonly signatureKey: Buffer;
  /** Without the wrapper of a message. */
  readonly bytes: Buffer;
  /** What a Welcome refers to it by. */
  readonly ref: Buffer;
}

/**
 * Reads and checks a payload of opcode 26. Takes it as an MLSMessage, as the protocol wants it, and bare, as davey
 * sends it. Throws `MlsError` for anything but a sound key package of `userId`.
 */
export function readKeyPackage(payload: Uint8Array, userId: string): KeyPackage {
  if (payload.byteLength > KEY_PACKAGE_BYTES_MAX) {
    throw new MlsError('malformed', `Cannot take a key package of ${payload.byteLength} bytes`);
  }
  const reader = new TlsReader(Buffer.from(unwrap(payload)));
  if (reader.u16() !== MLS_VERSION || reader.u16() !== CIPHER_SUITE) {
    throw new MlsError('invalid', 'Cannot take a key package of another version or cipher suite');
  }
  reader.vector();
  const leaf = readLeafNode(reader);
  reader.vector();
  const signedEnd = reader.at;
  const signature = reader.vector();
  reader.end();
  if (leaf.userId !== userId) throw new MlsError('invalid', 'Cannot take a key package of another user');
  const isSound =
    leaf.isOfKeyPackage &&
    verifyWithLabel(leaf.signatureKey, 'LeafNodeTBS', leaf.signed, leaf.signature) &&
    verifyWithLabel(leaf.signatureKey, 'KeyPackageTBS', reader.between(0, signedEnd), signature);
  if (!isSound) throw new MlsError('invalid', 'Cannot take a key package with a wrong signature');
  const bytes = reader.between(0, reader.at);
  return { userId, signatureKey: leaf.signatureKey, bytes, ref: refHash('KeyPackage', bytes) };
}

/** A bare key package goes on with its cipher suite, 2, where a message says which kind it is, 5. */
function unwrap(payload: Uint8Array): Uint8Array {
  const reader = new TlsReader(payload);
  reader.u16();
  return reader.u16() === WIRE_FORMATS.keyPackage ? payload.subarray(4) : payload;
}
