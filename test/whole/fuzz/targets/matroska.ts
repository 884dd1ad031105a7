import { Hand } from '../grammar/hand.ts';
import {
  type MatroskaShape,
  aside,
  cluster,
  element,
  header,
  idle,
  info,
  openElement,
  trackEntry,
} from '../grammar/matroska.ts';
import type { FuzzTarget } from '../target.ts';
import { admitTarget } from './admit-target.ts';

const SEGMENT = 0x18538067;
const TRACKS = 0x1654ae6b;
const KINDS: readonly (readonly number[])[] = [[1], [2], [1, 2], [1, 2, 17], [2, 17], [1, 33]];

/** WebM and Matroska: elements of known and unknown size, block groups, and tracks that must be removed. */
export const matroska: FuzzTarget = admitTarget('matroska', ['video', 'audio'], (random) => {
  const hand = new Hand(random);
  const shapes: MatroskaShape[] = random.pick(KINDS).map((type, index) => ({ number: index + 1, type }));
  const clusters = [
    cluster(hand, shapes, 0),
    ...hand.times(8, (index) => cluster(hand, shapes, (index + 1) * 100)),
  ];
  const tracks = element(
    hand,
    TRACKS,
    hand.parts([...shapes.map((shape) => trackEntry(hand, shape)), ...idle(hand, 'tracks')]),
  );
  const parts = hand.parts([
    ...aside(hand),
    info(hand, clusters.length * 100),
    ...idle(hand, 'segment'),
    tracks,
    ...clusters,
    ...aside(hand),
  ]);
  const segment = random.happens(25)
    ? openElement(SEGMENT, random.int(1, 8), parts)
    : element(hand, SEGMENT, parts);
  return hand.parts([
    header(hand, random.pick(['webm', 'matroska'])),
    segment,
    ...(random.happens(20) ? idle(hand, 'end') : []),
  ]);
});
