import { readLeafNode } from './leaf-node.ts';
import { MlsError } from './mls-error.ts';
import { CIPHER_SUITE, MLS_VERSION, WIRE_FORMATS, refHash, verifyWithLabel } from './mls.ts';
import { TlsReader } from './tls-reader.ts';

/** The largest key package that a client may send. Those from davey have about 400 bytes. */
export const KEY_PACKAGE_BYTES_MAX = 4096;

/** The data that a user sends to the voice server so that members can add the user. */
export interface KeyPackage {
  readonly userId: string;
  readonly signatureKey: Buffer;
  /** The bytes without the surrounding MLSMessage. */
  readonly bytes: Buffer;
  /** The hash by which a Welcome refers to this key package. */
  readonly ref: Buffer;
}

/**
 * Parses and checks an opcode 26 payload. Accepts a key package inside an MLSMessage, as the protocol specifies, or a
 * bare one, as davey sends it. Throws `MlsError` for anything but a valid key package of `userId`.
 */
export function readKeyPackage(payload: Uint8Array, userId: string): KeyPackage {
  if (payload.byteLength > KEY_PACKAGE_BYTES_MAX) {
    throw new MlsError('malformed', `Cannot accept a key package of ${payload.byteLength} bytes`);
  }
  const reader = new TlsReader(Buffer.from(unwrap(payload)));
  if (reader.u16() !== MLS_VERSION || reader.u16() !== CIPHER_SUITE) {
    throw new MlsError('invalid', 'Cannot accept a key package with another version or cipher suite');
  }
  reader.vector();
  const leaf = readLeafNode(reader);
  reader.vector();
  const signedEnd = reader.at;
  const signature = reader.vector();
  reader.end();
  if (leaf.userId !== userId) throw new MlsError('invalid', 'Cannot accept a key package of another user');
  const isSound =
    leaf.isOfKeyPackage &&
    verifyWithLabel(leaf.signatureKey, 'LeafNodeTBS', leaf.signed, leaf.signature) &&
    verifyWithLabel(leaf.signatureKey, 'KeyPackageTBS', reader.between(0, signedEnd), signature);
  if (!isSound) throw new MlsError('invalid', 'Cannot accept a key package with an invalid signature');
  const bytes = reader.between(0, reader.at);
  return { userId, signatureKey: leaf.signatureKey, bytes, ref: refHash('KeyPackage', bytes) };
}

/**
 * Returns the bare key package. The second field tells the formats apart: it is the wire format, 5, in an MLSMessage,
 * but the cipher suite, 2, in a bare key package.
 */
function unwrap(payload: Uint8Array): Uint8Array {
  const reader = new TlsReader(payload);
  reader.u16();
  return reader.u16() === WIRE_FORMATS.keyPackage ? payload.subarray(4) : payload;
}
