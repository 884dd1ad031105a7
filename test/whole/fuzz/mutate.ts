import type { Random } from './random.ts';

const ROUNDS_MAX = 6;
const SIZE_BYTES_MAX = 12_000_000;

/** Returns the input with some of its bytes changed, lost, repeated or moved. */
export function mutate(random: Random, input: Buffer): Buffer {
  let bytes: Buffer = Buffer.from(input);
  for (let round = random.int(1, ROUNDS_MAX); round > 0; round -= 1) bytes = random.pick(WAYS)(random, bytes);
  return bytes.subarray(0, SIZE_BYTES_MAX);
}

type Way = (random: Random, bytes: Buffer) => Buffer;

const WAYS: readonly Way[] = [
  flipBit,
  setByte,
  setNumber,
  setNumber,
  cutOff,
  removePart,
  repeatPart,
  insertNoise,
  copyOver,
];

function flipBit(random: Random, bytes: Buffer): Buffer {
  const at = placeIn(random, bytes);
  if (at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ (1 << random.int(0, 7));
  return bytes;
}

function setByte(random: Random, bytes: Buffer): Buffer {
  const at = placeIn(random, bytes);
  if (at < bytes.length) bytes[at] = random.hostileInt(8);
  return bytes;
}

/** Overwrites two or four bytes with a number, in either byte order, because sizes and counts are stored that way. */
function setNumber(random: Random, bytes: Buffer): Buffer {
  const at = placeIn(random, bytes);
  if (at + 4 > bytes.length) return bytes;
  const value = random.hostileInt(32);
  random.pick([
    () => bytes.writeUInt32BE(value, at),
    () => bytes.writeUInt32LE(value, at),
    () => bytes.writeUInt16BE(value % 65_536, at),
  ])();
  return bytes;
}

function cutOff(random: Random, bytes: Buffer): Buffer {
  return random.happens(30) ? bytes.subarray(0, random.int(0, bytes.length)) : bytes;
}

function removePart(random: Random, bytes: Buffer): Buffer {
  const { from, to } = partOf(random, bytes);
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
}

function repeatPart(random: Random, bytes: Buffer): Buffer {
  const { from, to } = partOf(random, bytes);
  const times = random.happens(5) ? random.int(2, 500) : random.int(1, 3);
  const part = bytes.subarray(from, to);
  return Buffer.concat([
    bytes.subarray(0, to),
    ...Array.from({ length: times }, () => part),
    bytes.subarray(to),
  ]);
}

function insertNoise(random: Random, bytes: Buffer): Buffer {
  const at = placeIn(random, bytes);
  const noise = random.happens(50)
    ? random.bytes(random.int(1, 16))
    : Buffer.alloc(random.int(1, 64), random.hostileInt(8));
  return Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at)]);
}

function copyOver(random: Random, bytes: Buffer): Buffer {
  const { from, to } = partOf(random, bytes);
  bytes.copy(bytes, placeIn(random, bytes), from, to);
  return bytes;
}

/**
 * Returns a random offset, often at the start and sometimes at the end of a file, where most of the breakable fields
 * are.
 */
function placeIn(random: Random, bytes: Buffer): number {
  const { length } = bytes;
  if (random.happens(40)) return random.int(0, Math.min(length, 200));
  return random.happens(20) ? Math.max(0, length - random.int(0, 300)) : random.int(0, length);
}

function partOf(random: Random, bytes: Buffer): { from: number; to: number } {
  const from = placeIn(random, bytes);
  return { from, to: Math.min(bytes.length, from + random.int(0, 1 + random.count(2_000))) };
}
