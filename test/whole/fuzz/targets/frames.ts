import { Hand } from '../grammar/hand.ts';
import { le32, tag, u32, u8 } from '../grammar/numbers.ts';
import type { FuzzTarget } from '../target.ts';
import { admitTarget } from './admit-target.ts';

const KILOBITS = [32, 64, 128, 320];
const KILOBIT_CODES = [1, 5, 9, 14];
const RATES_HZ = [44_100, 48_000, 32_000];

/** MP3: frames with other data between them, and with tags of every kind before and after them. */
export const mp3: FuzzTarget = admitTarget('mp3', ['audio'], (random) => {
  const hand = new Hand(random, { liePercent: 12 });
  const rate = random.int(0, 2);
  return sound(hand, () => mp3Frame(hand, rate));
});

/** AAC in ADTS frames, with the same tags and other data as in `mp3`. */
export const adts: FuzzTarget = admitTarget('adts', ['audio'], (random) => {
  const hand = new Hand(random, { liePercent: 12 });
  const rate = random.int(0, 11);
  return sound(hand, () => adtsFrame(hand, rate));
});

function sound(hand: Hand, frame: () => Buffer): Buffer {
  const { random } = hand;
  const runs = Array.from({ length: random.int(1, 3) }, () =>
    Buffer.concat([frame(), frame(), ...hand.times(20, frame), ...noise(hand)]),
  );
  const start = random.happens(50) ? [id3v2(hand)] : [];
  const end = random.happens(30) ? [random.pick([id3v1, ape, id3v2])(hand)] : [];
  return hand.parts([...start, ...runs, ...end]);
}

function mp3Frame(hand: Hand, rate: number): Buffer {
  const which = hand.random.int(0, KILOBITS.length - 1);
  const padding = hand.random.int(0, 1);
  const sizeBytes = Math.floor((144_000 * (KILOBITS[which] ?? 0)) / (RATES_HZ[rate] ?? 1)) + padding;
  const third =
    ((KILOBIT_CODES[which] ?? 0) << 4) |
    (hand.lies() ? hand.random.int(0, 15) : (rate << 2) | (padding << 1));
  const head = Buffer.from([0xff, hand.lies() ? hand.random.int(0xe0, 0xff) : 0xfb, third, 0xc0]);
  return Buffer.concat([head, Buffer.alloc(sizeBytes - 4)]);
}

function adtsFrame(hand: Hand, rate: number): Buffer {
  const body = Buffer.alloc(hand.random.int(1, 200));
  const size = hand.lies() ? hand.random.int(0, 8_191) : body.length + 7;
  return Buffer.concat([
    Buffer.from([
      0xff,
      0xf1,
      0x40 | (rate << 2),
      0x40 | (size >> 11),
      (size >> 3) & 0xff,
      ((size & 7) << 5) | 0x1f,
      0xfc,
    ]),
    body,
  ]);
}

function noise(hand: Hand): Buffer[] {
  return hand.random.happens(30)
    ? [Buffer.concat([hand.words('between'), Buffer.alloc(hand.random.count(300))])]
    : [];
}

function id3v2(hand: Hand): Buffer {
  const { random } = hand;
  const words = hand.words('id3v2');
  const body = Buffer.concat([
    tag('TIT2'),
    u32(words.length + 1),
    Buffer.from([0, 0, 0]),
    words,
    Buffer.alloc(random.count(500)),
  ]);
  const size = hand.number(body.length, 24);
  const synchsafe = Buffer.from([(size >> 21) & 0x7f, (size >> 14) & 0x7f, (size >> 7) & 0x7f, size & 0x7f]);
  const hasFooter = random.happens(20);
  const head = Buffer.concat([Buffer.from([4, 0, hasFooter ? 0x10 : 0]), synchsafe]);
  return Buffer.concat([tag('ID3'), head, body, ...(hasFooter ? [tag('3DI'), head] : [])]);
}

function id3v1(hand: Hand): Buffer {
  return Buffer.concat([tag('TAG'), hand.words('id3v1'), Buffer.alloc(128)]).subarray(0, 128);
}

function ape(hand: Hand): Buffer {
  const words = hand.words('ape');
  const item = Buffer.concat([le32(words.length), le32(0), tag('Title\0'), words]);
  const head = Buffer.concat([
    tag('APETAGEX'),
    le32(2_000),
    le32(hand.number(item.length + 32, 32)),
    le32(1),
    le32(0),
    Buffer.alloc(8),
  ]);
  return Buffer.concat([head, item, head, u8(0)]);
}
