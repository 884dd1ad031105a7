import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  BASIC_CREDENTIAL,
  CONTENT_TYPES,
  MLS_VERSION,
  PROPOSAL_TYPES,
  SENDER_TYPES,
  WIRE_FORMATS,
  refHash,
  signedContent,
} from './mls.ts';
import { u16, u32, u64, u8, vector } from './tls-bytes.ts';

/** A proposal as the voice server broadcasts it. */
export interface SignedProposal {
  /** The bytes of an MLSMessage. */
  readonly message: Buffer;
  /** The reference by which commits name this proposal. */
  readonly ref: Buffer;
}

/** The group and epoch of a proposal. */
interface ProposalPlace {
  readonly groupId: bigint;
  readonly epoch: bigint;
}

/**
 * The voice server's role in MLS: it is not a member of any group, and only it may propose to add and remove members.
 */
export class ExternalSender {
  readonly #privateKey: KeyObject;
  /** The bytes that clients put into the groups that they create (payload of opcode 25). */
  readonly package: Buffer;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#privateKey = privateKey;
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const point = Buffer.concat([u8(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
    this.package = Buffer.concat([vector(point), u16(BASIC_CREDENTIAL), vector(Buffer.from('voice server'))]);
  }

  /** Proposes to add the owner of a key package. */
  add(place: ProposalPlace, keyPackage: Uint8Array): SignedProposal {
    return this.#propose(place, Buffer.concat([u16(PROPOSAL_TYPES.add), keyPackage]));
  }

  /** Proposes to remove the member at a leaf of the tree. */
  remove(place: ProposalPlace, leafIndex: number): SignedProposal {
    return this.#propose(place, Buffer.concat([u16(PROPOSAL_TYPES.remove), u32(leafIndex)]));
  }

  #propose({ groupId, epoch }: ProposalPlace, proposal: Uint8Array): SignedProposal {
    const content = Buffer.concat([
      vector(u64(groupId)),
      u64(epoch),
      u8(SENDER_TYPES.external),
      u32(0),
      vector(),
      u8(CONTENT_TYPES.proposal),
      proposal,
    ]);
    const wireFormat = u16(WIRE_FORMATS.publicMessage);
    const toSign = Buffer.concat([u16(MLS_VERSION), wireFormat, content]);
    const signature = sign('sha256', signedContent('FramedContentTBS', toSign), this.#privateKey);
    const authenticated = Buffer.concat([wireFormat, content, vector(signature)]);
    return {
      message: Buffer.concat([u16(MLS_VERSION), authenticated]),
      ref: refHash('Proposal', authenticated),
    };
  }
}
