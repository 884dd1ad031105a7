import { MlsError } from './mls-error.ts';
import { readIdentity } from './mls.ts';
import type { TlsReader } from './tls-reader.ts';

const SOURCES = { keyPackage: 1, update: 2, commit: 3 } as const;
const LIFETIME_MAX = 2n ** 64n - 1n;

/** A member's leaf in the MLS tree, as that member wrote it. */
export interface LeafNode {
  readonly userId: string;
  readonly signatureKey: Buffer;
  /** The leaf's bytes without the signature. */
  readonly signed: Buffer;
  readonly signature: Buffer;
  readonly isOfKeyPackage: boolean;
}

/** Parses a leaf node whose credential is a user's id. Throws `MlsError`. */
export function readLeafNode(reader: TlsReader): LeafNode {
  const start = reader.at;
  reader.vector();
  const signatureKey = reader.vector();
  const identity = readIdentity(reader);
  if (identity?.byteLength !== 8)
    throw new MlsError('invalid', 'Cannot accept a credential that is not a user id');
  // Skips the versions, cipher suites, extensions, proposals and credentials.
  for (let list = 0; list < 5; list++) reader.vector();
  const source = reader.u8();
  readSource(source, reader);
  reader.vector();
  const signed = reader.between(start, reader.at);
  const signature = reader.vector();
  return {
    userId: identity.readBigUInt64BE().toString(),
    signatureKey,
    signed,
    signature,
    isOfKeyPackage: source === SOURCES.keyPackage,
  };
}

function readSource(source: number, reader: TlsReader): void {
  switch (source) {
    case SOURCES.keyPackage:
      if (reader.u64() !== 0n || reader.u64() !== LIFETIME_MAX) {
        throw new MlsError('invalid', 'Cannot accept a key package that expires');
      }
      return;
    case SOURCES.update:
      return;
    case SOURCES.commit:
      reader.vector();
      return;
    default:
      throw new MlsError('malformed', `Cannot read a leaf node with source ${source}`);
  }
}
