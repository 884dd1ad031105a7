import { sealOggPage } from '../../../../src/bot/media/sounds/ogg-page.ts';
import { Hand } from '../grammar/hand.ts';
import { le16, le32, le64, tag, u8 } from '../grammar/numbers.ts';
import type { FuzzTarget } from '../target.ts';
import { admitTarget } from './admit-target.ts';

const FIRST = 2;
const CONTINUES = 1;
const LAST = 4;
const SEGMENTS_MAX = 255;
const SAMPLES_OF_PACKET = 960;
/** 20 ms of silence in one channel. */
const SILENCE: Buffer = Buffer.from([0xf8, 0xff, 0xfe]);

/** Opus and Vorbis in Ogg: chained streams, comments that span many pages, irregular granule positions. */
export const ogg: FuzzTarget = admitTarget('ogg', ['audio'], (random) => {
  const hand = new Hand(random, { liePercent: 8 });
  const streams = Array.from({ length: random.happens(20) ? random.int(2, 4) : 1 }, (_none, index) =>
    stream(hand, index + 1),
  );
  return hand.parts(streams);
});

function stream(hand: Hand, serial: number): Buffer {
  const { random } = hand;
  const isOpus = random.happens(70);
  const write = new PageWriter(hand, serial);
  write.page([isOpus ? opusHead(hand) : vorbisHead(hand)], 0, FIRST);
  write.packet(comments(hand, isOpus), 0);
  if (!isOpus) write.packet(Buffer.concat([tag('\x05vorbis'), random.bytes(20)]), 0);
  const pages = 1 + random.count(20);
  let granule = isOpus ? 312 : 0;
  for (let page = 1; page <= pages; page += 1) {
    const packets = Array.from({ length: 1 + random.count(30) }, () =>
      isOpus ? SILENCE : random.bytes(random.int(1, 40)),
    );
    granule += packets.length * SAMPLES_OF_PACKET;
    write.page(packets, granule, page === pages ? LAST : 0);
  }
  return hand.parts(write.pages);
}

/** Writes the pages of one stream. */
class PageWriter {
  readonly pages: Buffer[] = [];
  readonly #hand: Hand;
  readonly #serial: number;

  constructor(hand: Hand, serial: number) {
    this.#hand = hand;
    this.#serial = serial;
  }

  /** Writes a page of whole packets. */
  page(packets: readonly Buffer[], granule: number, flags: number): void {
    const lacing = packets.flatMap(({ length }) => [
      ...Array<number>(Math.floor(length / 255)).fill(255),
      length % 255,
    ]);
    this.#add(lacing, Buffer.concat(packets), granule, flags);
  }

  /** Writes one packet over as many pages as it needs. */
  packet(packet: Buffer, granule: number): void {
    const perPage = this.#hand.random.pick([1, 2, 20, SEGMENTS_MAX]) * 255;
    for (let at = 0; at <= packet.length; at += perPage) {
      const part = packet.subarray(at, at + perPage);
      const isLast = at + perPage > packet.length;
      const lacing = Array<number>(Math.floor(part.length / 255)).fill(255);
      this.#add(isLast ? [...lacing, part.length % 255] : lacing, part, granule, at > 0 ? CONTINUES : 0);
    }
  }

  #add(lacing: readonly number[], body: Buffer, granule: number, flags: number): void {
    const hand = this.#hand;
    const { random } = hand;
    const place = hand.lies()
      ? random.pick([2n ** 64n - 1n, 2n ** 63n, 0n, BigInt(random.hostileInt(32))])
      : granule;
    const told = hand.lies()
      ? random.bytes(random.int(0, SEGMENTS_MAX))
      : Buffer.from(lacing.slice(0, SEGMENTS_MAX));
    const page = Buffer.concat([
      tag('OggS'),
      u8(0),
      u8(hand.number(flags, 8)),
      le64(place),
      le32(hand.number(this.#serial, 32)),
      le32(this.pages.length),
      le32(0),
      u8(hand.lies() ? random.hostileInt(8) : told.length),
      told,
      body,
    ]);
    sealOggPage(page);
    this.pages.push(page);
  }
}

function opusHead(hand: Hand): Buffer {
  return Buffer.concat([
    tag('OpusHead'),
    u8(1),
    u8(1),
    le16(hand.number(312, 16)),
    le32(48_000),
    le16(0),
    u8(0),
  ]);
}

function vorbisHead(hand: Hand): Buffer {
  return Buffer.concat([
    tag('\x01vorbis'),
    le32(0),
    u8(1),
    le32(hand.number(48_000, 32)),
    Buffer.alloc(12),
    u8(0xb8),
    u8(1),
  ]);
}

function comments(hand: Hand, isOpus: boolean): Buffer {
  const entries = hand.times(hand.random.happens(10) ? 400 : 5, () =>
    Buffer.concat([tag('TITLE='), hand.words('comment')]),
  );
  const list = [
    le32(hand.number(entries.length, 32)),
    ...entries.flatMap((entry) => [le32(hand.number(entry.length, 32)), entry]),
  ];
  const vendor = hand.words('vendor');
  return Buffer.concat([
    tag(isOpus ? 'OpusTags' : '\x03vorbis'),
    le32(vendor.length),
    vendor,
    ...list,
    ...(isOpus ? [] : [u8(1)]),
  ]);
}
