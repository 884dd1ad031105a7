import type { Hand } from './hand.ts';
import { le32, tag } from './numbers.ts';

/** Writes a chunk of a RIFF file, padded to an even length. */
export function chunk(hand: Hand, type: string, ...body: readonly Buffer[]): Buffer {
  const content = Buffer.concat(body);
  return Buffer.concat([
    tag(type),
    le32(hand.number(content.length, 32)),
    content,
    Buffer.alloc(hand.lies() ? 0 : content.length % 2),
  ]);
}

export function riff(hand: Hand, kind: string, body: Buffer): Buffer {
  return Buffer.concat([tag('RIFF'), le32(hand.number(body.length + 4, 32)), tag(kind), body]);
}
