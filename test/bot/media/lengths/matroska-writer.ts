/** An audio packet in a Matroska file, with the time that the file claims for it. */
export interface TimedPacket {
  readonly data: Uint8Array;
  readonly tick: number;
}

export interface MatroskaOptions {
  readonly codec: string;
  readonly setup: Uint8Array;
  readonly packets: readonly TimedPacket[];
  /** The length of a tick, in nanoseconds. */
  readonly tickNs?: number;
  /**
   * Further elements in the header, in the descriptions of the clip, of the track and of its sound, and at the end of
   * the segment.
   */
  readonly inHeader?: readonly Buffer[];
  readonly inInfo?: readonly Buffer[];
  readonly inTrack?: readonly Buffer[];
  readonly inAudio?: readonly Buffer[];
  readonly inSegment?: readonly Buffer[];
  /** Further elements before the clusters, and in each cluster between its time and its block. */
  readonly inFront?: readonly Buffer[];
  readonly inCluster?: readonly Buffer[];
  /** The number of packets per block. They all have the first packet's time. */
  readonly lacing?: number;
  readonly isEndless?: boolean;
}

/** Creates an element from its id in hexadecimal digits and its body. */
export function element(id: string, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const size = Buffer.alloc(8);
  size.writeUIntBE(body.length, 2, 6);
  size.writeUInt8(1, 0);
  return Buffer.concat([Buffer.from(id, 'hex'), size, body]);
}

export function number(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(Math.max(0, Math.round(value))));
  return bytes;
}

export function fraction(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
}

/** Creates a Matroska file with one audio track, in which each packet (or group of packets) has its own cluster. */
export function matroska(options: MatroskaOptions): Buffer {
  const { codec, setup, packets, tickNs = 1_000_000, inTrack = [], inInfo = [], inSegment = [] } = options;
  const { inHeader = [], inAudio = [], inFront = [], inCluster = [] } = options;
  const header = element('1a45dfa3', element('4282', Buffer.from('matroska')), ...inHeader);
  const info = element('1549a966', element('2ad7b1', number(tickNs)), ...inInfo);
  const audio = element('e1', element('b5', fraction(48_000)), element('9f', number(1)), ...inAudio);
  const track = element(
    'ae',
    element('d7', number(1)),
    element('73c5', number(1)),
    element('83', number(2)),
    element('86', Buffer.from(codec)),
    element('63a2', setup),
    audio,
    ...inTrack,
  );
  const clusters = groupsOf(packets, options.lacing ?? 1).map((group) => {
    const tick = group[0]?.tick ?? 0;
    return element('1f43b675', element('e7', number(tick)), ...inCluster, element('a3', block(group)));
  });
  const inside = [info, element('1654ae6b', track), ...inFront, ...clusters, ...inSegment];
  const segment = options.isEndless
    ? Buffer.concat([Buffer.from('1853806701ffffffffffffff', 'hex'), ...inside])
    : element('18538067', ...inside);
  return Buffer.concat([header, segment]);
}

/**
 * Writes a block. If it has several packets, their sizes come first, each as a sequence of bytes whose sum is the size.
 */
function block(group: readonly TimedPacket[]): Buffer {
  const data = group.map((packet) => packet.data);
  if (group.length === 1) return Buffer.concat([Buffer.from('81000080', 'hex'), ...data]);
  const sizes = data.slice(0, -1).flatMap(({ length }) => {
    return [...Array<number>(Math.floor(length / 255)).fill(255), length % 255];
  });
  return Buffer.concat([Buffer.from('81000082', 'hex'), Buffer.from([data.length - 1, ...sizes]), ...data]);
}

function groupsOf<T>(items: readonly T[], size: number): T[][] {
  const groups: T[][] = [];
  for (let at = 0; at < items.length; at += size) groups.push(items.slice(at, at + size));
  return groups;
}
