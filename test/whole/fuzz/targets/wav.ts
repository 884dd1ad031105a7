import { Hand } from '../grammar/hand.ts';
import { le16, le32, tag } from '../grammar/numbers.ts';
import { chunk, riff } from '../grammar/riff.ts';
import type { FuzzTarget } from '../target.ts';
import { admitTarget } from './admit-target.ts';

const PCM = 1;
const FLOAT = 3;
const EXTENSIBLE = 0xfffe;

/** WAV: samples among chunks of all kinds, with inconsistent formats. */
export const wav: FuzzTarget = admitTarget('wav', ['audio'], (random) =>
  wavFile(new Hand(random, { liePercent: 12 })),
);

/** Writes a WAV file. If `isPlain`, it has 16-bit samples and one channel. */
export function wavFile(hand: Hand, isPlain: boolean = false): Buffer {
  const { random } = hand;
  const data = random.bytes(2 * random.int(1, 400));
  const recorded = random.happens(10)
    ? Buffer.concat([tag('data'), le32(random.pick([0, 0xffff_ffff])), data])
    : chunk(hand, 'data', data);
  const isLast = recorded.readUInt32LE(4) !== data.length;
  return riff(
    hand,
    'WAVE',
    hand.parts([
      ...asides(hand),
      format(hand, isPlain),
      ...asides(hand),
      recorded,
      ...(isLast ? [] : asides(hand)),
    ]),
  );
}

function format(hand: Hand, isPlain: boolean): Buffer {
  const { random } = hand;
  const bits = isPlain ? 16 : random.pick([8, 16, 24, 32]);
  const channels = isPlain ? 1 : random.pick([1, 1, 2, 6]);
  const rateHz = random.pick([8_000, 44_100, 48_000, 192_000]);
  const block = (bits / 8) * channels;
  const kind = isPlain ? PCM : random.pick([PCM, PCM, PCM, EXTENSIBLE, bits === 32 ? FLOAT : PCM]);
  const fixed = [
    le16(hand.number(kind, 16)),
    le16(hand.number(channels, 16)),
    le32(hand.number(rateHz, 32)),
    le32(hand.number(rateHz * block, 32)),
    le16(hand.number(block, 16)),
    le16(hand.number(bits, 16)),
  ];
  const extra =
    kind === EXTENSIBLE
      ? [le16(22), le16(bits), le32(0), Buffer.from('0100000000001000800000aa00389b71', 'hex')]
      : [];
  return chunk(hand, 'fmt ', ...fixed, ...extra);
}

function asides(hand: Hand): Buffer[] {
  return hand.times(3, () => {
    const type = hand.random.pick(['LIST', 'bext', 'id3 ', 'JUNK', 'cue ', 'iXML', 'XXXX', 'fact', 'smpl']);
    const words = hand.words(type.trim());
    return type === 'fact'
      ? chunk(hand, type, le32(100))
      : chunk(hand, type, ...(type === 'LIST' ? [tag('INFO'), chunk(hand, 'INAM', words)] : [words]));
  });
}
