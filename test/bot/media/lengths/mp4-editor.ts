/** A box in an MP4 file, which contains either other boxes or bytes. */
export interface BoxNode {
  readonly type: string;
  children: BoxNode[];
  body: Buffer;
}

const PARENTS = new Set('moov trak mdia minf dinf gmhd stbl edts tapt mvex'.split(' '));

/** A clip whose index follows its data, so that the size of the index may change. */
export interface EditableClip {
  readonly before: Buffer;
  readonly moov: BoxNode;
}

/** Parses a clip that `taggedMedia('mp4')` created. */
export function takeApart(bytes: Uint8Array): EditableClip {
  const all = Buffer.from(bytes);
  for (let at = 0; at < all.length;) {
    const size = all.readUInt32BE(at) === 1 ? Number(all.readBigUInt64BE(at + 8)) : all.readUInt32BE(at);
    if (all.toString('latin1', at + 4, at + 8) === 'moov') {
      return { before: all.subarray(0, at), moov: nodeOf(all.subarray(at, at + size)) };
    }
    at += size;
  }
  throw new Error('The clip has no index');
}

export function putTogether({ before, moov }: EditableClip): Buffer {
  return Buffer.concat([before, written(moov)]);
}

/** Returns all boxes of this type at any depth. */
export function boxesOf(node: BoxNode, type: string): BoxNode[] {
  return [...(node.type === type ? [node] : []), ...node.children.flatMap((child) => boxesOf(child, type))];
}

/** Creates a box whose version and flags are zero, followed by numbers of four bytes each. */
export function table(type: string, numbers: readonly number[]): BoxNode {
  const body = Buffer.alloc(4 + numbers.length * 4);
  for (const [index, value] of numbers.entries()) body.writeInt32BE(value | 0, 4 + index * 4);
  return { type, children: [], body };
}

/** The number of bytes between the dates and the duration in each type of header box. */
const BETWEEN_BYTES: Readonly<Record<string, number>> = { mvhd: 4, tkhd: 8, mdhd: 4 };
const DATES = 2;

/** Creates a header box of version 0, which has 4-byte numbers, or of version 1, which has 8-byte numbers. */
export function headerOf(
  { type, body }: BoxNode,
  change: { readonly isLong: boolean; readonly date: number; readonly duration: bigint },
): Buffer {
  const [flags, width] = [body.subarray(1, 4), change.isLong ? 8 : 4];
  const between = body.subarray(4 + DATES * 4).subarray(0, BETWEEN_BYTES[type]);
  const rest = body.subarray(4 + DATES * 4 + between.length + 4);
  const duration = Buffer.alloc(8);
  duration.writeBigUInt64BE(change.duration);
  const dates = Buffer.alloc(DATES * width, change.date);
  return Buffer.concat([
    Buffer.from([change.isLong ? 1 : 0]),
    flags,
    dates,
    between,
    duration.subarray(8 - width),
    rest,
  ]);
}

function nodeOf(bytes: Buffer): BoxNode {
  const type = bytes.toString('latin1', 4, 8);
  const node: BoxNode = { type, children: [], body: bytes.subarray(8) };
  if (!PARENTS.has(type)) return node;
  for (let at = 8; at < bytes.length;) {
    const size = bytes.readUInt32BE(at);
    node.children.push(nodeOf(bytes.subarray(at, at + size)));
    at += size;
  }
  return node;
}

function written({ type, children, body }: BoxNode): Buffer {
  const inside = PARENTS.has(type) ? Buffer.concat(children.map(written)) : body;
  const head = Buffer.alloc(8);
  head.writeUInt32BE(inside.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, inside]);
}
