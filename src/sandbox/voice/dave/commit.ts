import { type LeafNode, readLeafNode } from './leaf-node.ts';
import { MlsError } from './mls-error.ts';
import { CONTENT_TYPES, MLS_VERSION, SENDER_TYPES, WIRE_FORMATS } from './mls.ts';
import { TlsReader } from './tls-reader.ts';

/** The maximum size of a payload of opcode 28. */
const COMMIT_BYTES_MAX: number = 64 * 1024;
const PROPOSALS_MAX = 256;
const PATH_NODES_MAX = 64;
const CIPHERTEXTS_MAX = 512;
const BY_REFERENCE = 2;

/** A commit, without its encrypted part, which only members can read. */
export interface Commit {
  readonly groupId: bigint;
  readonly epoch: bigint;
  readonly senderLeaf: number;
  /** The references of the commit's proposals, in the order in which they take effect. */
  readonly proposalRefs: readonly Buffer[];
  /** The committer's new leaf, if the commit has a path. */
  readonly leaf: LeafNode | undefined;
  /** The MLSMessage to announce. */
  readonly message: Buffer;
}

/** Splits a payload of opcode 28 into the commit and the bytes after it: a Welcome, or nothing. Throws `MlsError`. */
export function readCommit(payload: Uint8Array): { readonly commit: Commit; readonly rest: Buffer } {
  if (payload.byteLength > COMMIT_BYTES_MAX) {
    throw new MlsError('malformed', `Cannot accept a commit of ${payload.byteLength} bytes`);
  }
  const reader = new TlsReader(Buffer.from(payload));
  if (reader.u16() !== MLS_VERSION || reader.u16() !== WIRE_FORMATS.publicMessage) {
    throw new MlsError('malformed', 'Cannot read a commit that is not a public message');
  }
  const groupId = readGroupId(reader);
  const epoch = reader.u64();
  if (reader.u8() !== SENDER_TYPES.member)
    throw new MlsError('invalid', 'Cannot accept a commit: its sender is not a member');
  const senderLeaf = reader.u32();
  reader.vector();
  if (reader.u8() !== CONTENT_TYPES.commit)
    throw new MlsError('malformed', 'Cannot read a message that is not a commit');
  const proposalRefs = reader.list(readProposalRef, PROPOSALS_MAX);
  const leaf = reader.u8() === 1 ? readPath(reader) : undefined;
  // Skips the signature, the confirmation tag and the membership tag.
  for (let tag = 0; tag < 3; tag++) reader.vector();
  const message = reader.between(0, reader.at);
  return {
    commit: { groupId, epoch, senderLeaf, proposalRefs, leaf, message },
    rest: reader.take(reader.left),
  };
}

function readGroupId(reader: TlsReader): bigint {
  const id = reader.vector();
  if (id.byteLength !== 8)
    throw new MlsError('invalid', 'Cannot accept a group whose id is not a channel id');
  return id.readBigUInt64BE();
}

function readProposalRef(reader: TlsReader): Buffer {
  if (reader.u8() !== BY_REFERENCE) {
    throw new MlsError('invalid', 'Cannot accept a commit with inline proposals');
  }
  return reader.vector();
}

function readPath(reader: TlsReader): LeafNode {
  const leaf = readLeafNode(reader);
  reader.list(readPathNode, PATH_NODES_MAX);
  return leaf;
}

function readPathNode(reader: TlsReader): void {
  reader.vector();
  reader.list((inner) => {
    inner.vector();
    inner.vector();
  }, CIPHERTEXTS_MAX);
}
