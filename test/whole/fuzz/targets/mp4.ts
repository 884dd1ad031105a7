import { Hand } from '../grammar/hand.ts';
import { type Mp4Shape, box, fragment, movie, userData } from '../grammar/mp4.ts';
import { tag, u32 } from '../grammar/numbers.ts';
import type { FuzzTarget } from '../target.ts';
import { admitTarget } from './admit-target.ts';

const OTHERS = ['meta', 'text', 'tmcd', 'sbtl', 'gpmd'];

/** MP4, QuickTime and M4A: indexes, fragments, and data tracks that must be removed. */
export const mp4: FuzzTarget = admitTarget('mp4', ['video', 'audio'], (random) => {
  const hand = new Hand(random);
  const brand = random.pick(['isom', 'mp42', 'qt  ', 'M4A ', 'M4V ', '3gp4', 'iso5']);
  const start = box(hand, 'ftyp', tag(brand), u32(512), tag(brand));
  const before = [start, ...userData(hand, 'top')];
  const { shapes, data } = layOut(hand);
  const sameHand = hand.sameEachTime();
  const isFragmented = shapes.some((shape) => shape.isFragmented);
  const filled = box(new Hand(random, { isHonest: true }), 'mdat', data);
  const dataHead = filled.length - data.length;
  const after = [...userData(hand, 'end'), ...(random.happens(10) ? [Buffer.alloc(random.int(1, 7))] : [])];
  const placed = (base: number): Mp4Shape[] =>
    shapes.map((shape) => ({ ...shape, chunkAt: shape.chunkAt + base }));
  const lengthOf = (parts: readonly Buffer[]): number => parts.reduce((sum, part) => sum + part.length, 0);
  if (isFragmented) {
    const index = movie(hand, shapes);
    const fragments = hand.times(6, (sequence) =>
      Buffer.concat([fragment(hand, shapes, sequence + 1), filled]),
    );
    return hand.parts([...before, index, ...fragments, ...after]);
  }
  if (random.happens(50))
    return hand.parts([...before, filled, movie(hand, placed(lengthOf(before) + dataHead)), ...after]);
  // Written only for its size, which does not depend on the offsets that it contains.
  const index = movie(sameHand(), shapes);
  return hand.parts([
    ...before,
    movie(sameHand(), placed(lengthOf([...before, index]) + dataHead)),
    filled,
    ...after,
  ]);
});

/** Returns tracks with the offsets of their samples, and the data that consists of these samples. */
function layOut(hand: Hand): { shapes: Mp4Shape[]; data: Buffer } {
  const { random } = hand;
  const isFragmented = random.happens(25);
  const handlers = [
    ...random.pick([['vide'], ['soun'], ['vide', 'soun']]),
    ...(isFragmented ? [] : hand.times(2, () => tag(random.pick(OTHERS))).map(String)),
  ];
  const shapes: Mp4Shape[] = [];
  const data: Buffer[] = [];
  let at = 0;
  for (const [index, handler] of handlers.slice(0, 40).entries()) {
    const isOther = OTHERS.includes(handler);
    const sample = (): Buffer => (isOther ? hand.words('data-track') : random.bytes(random.int(1, 30)));
    const all = [sample(), ...hand.times(12, sample)];
    shapes.push({
      id: index + 1,
      handler,
      chunkAt: at,
      sampleSizes: all.map(({ length }) => length),
      isFragmented,
    });
    data.push(Buffer.concat(all));
    at += all.reduce((sum, { length }) => sum + length, 0);
  }
  return { shapes, data: Buffer.concat(data) };
}
