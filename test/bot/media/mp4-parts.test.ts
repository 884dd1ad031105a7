import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BoxNode, boxesOf, headerOf, putTogether, takeApart } from './lengths/mp4-editor.ts';
import { soundPackets } from './lengths/sound-packets.ts';
import { taggedMedia } from './tagged-media.ts';
import { SECRET, clean } from './use-media.ts';

let tagged: Uint8Array;
let plain: Buffer;
beforeAll(async () => {
  tagged = await taggedMedia('mp4');
});
beforeEach(async () => {
  plain = (await clean(tagged, 'video')).bytes;
});

function changed(change: (moov: BoxNode) => void): Buffer {
  const parts = takeApart(plain);
  change(parts.moov);
  return putTogether(parts);
}

/** Cleans the clip after the change `before`, and expects the same clip with the change `after` instead. */
async function expectBecomes(
  before: (moov: BoxNode) => void,
  after: (moov: BoxNode) => void,
  what: unknown,
): Promise<Buffer> {
  const { bytes } = await clean(changed(before), 'video');
  expect([what, bytes.equals(changed(after))]).toEqual([what, true]);
  return bytes;
}

describe.each([
  ['the first version', false],
  ['the second version', true],
])('the header boxes of %s', (_version, isLong) => {
  test.each(['mvhd', 'tkhd', 'mdhd'])('%s lose both dates and nothing else', async (type) => {
    const dated = (date: number) => (moov: BoxNode) => {
      for (const node of boxesOf(moov, type)) node.body = headerOf(node, { isLong, date, duration: 900n });
    };
    const bytes = await expectBecomes(dated(0x5a), dated(0), type);
    expect((await soundPackets(bytes)).packets.length).toBeGreaterThan(40);
  });
});

function leaf(type: string, body: Uint8Array): BoxNode {
  return { type, children: [], body: Buffer.from(body) };
}

function parent(type: string, ...children: BoxNode[]): BoxNode {
  return { type, children, body: Buffer.alloc(0) };
}

/** An empty table, followed by some text. */
const EMPTY = Buffer.concat([Buffer.alloc(20), Buffer.from('rest')]);
/** For each parent box: the boxes that stay in it, except for those that every clip already contains. */
const PARTS: Readonly<Record<string, string>> = {
  moov: 'mvex',
  mvex: 'mehd trex',
  trak: 'edts tapt',
  edts: 'elst',
  tapt: 'clef prof enof',
  minf: 'vmhd smhd nmhd gmhd hdlr',
  gmhd: 'gmin',
  stbl: 'ctts cslg stss stsh sdtp sgpd sbgp subs saiz saio',
};
const OTHERS = [
  'udta',
  'meta',
  'uuid',
  'name',
  'XMP_',
  'gps ',
  '\u00A9xyz',
  'tref',
  'load',
  'text',
  'iods',
  'skip',
  'wide',
];
/** Parent boxes that a clip may lack, each with the box that contains it. */
const OPTIONAL: Readonly<Record<string, string>> = { mvex: 'moov', edts: 'trak', tapt: 'trak', gmhd: 'minf' };

/** Inserts the boxes at the start of the parent box `into`, in every track. */
function put(moov: BoxNode, into: string, boxes: readonly BoxNode[]): void {
  const above = OPTIONAL[into];
  if (above !== undefined) return put(moov, above, [parent(into, ...boxes)]);
  const types = boxes.flatMap(({ type }) => (type === 'free' ? [] : [type]));
  for (const node of boxesOf(moov, into)) {
    node.children = [...boxes, ...node.children.filter(({ type }) => !types.includes(type))];
  }
}

test.each(Object.entries(PARTS))(
  'boxes that are needed for playing stay in a %s, and all others are removed',
  async (into, kept) => {
    const own = kept.split(' ').map((type) => (type in OPTIONAL ? parent(type) : leaf(type, EMPTY)));
    await expectBecomes(
      (moov) => put(moov, into, own),
      (moov) => put(moov, into, own),
      kept,
    );

    // A box that belongs in one parent box is removed from the others.
    const strange = ['mvhd', 'trex', 'clef', 'gmin', 'sdtp', 'trun'].filter((type) => !kept.includes(type));
    const most = [...OTHERS, ...strange].filter((type) => !(into === 'moov' && type === 'mvhd'));
    const between = own[0] && !(own[0].type in OPTIONAL) ? own.slice(0, 1) : [];
    for (const type of most) {
      const box = leaf(type, Buffer.from(SECRET));
      const free = leaf('free', Buffer.alloc(SECRET.length));
      await expectBecomes(
        (moov) => put(moov, into, [box, ...between]),
        (moov) => put(moov, into, [free, ...between]),
        [into, type],
      );
    }
  },
);

test("the name of a track's handler is removed, and its type stays", async () => {
  const handler = (name: Buffer) => (moov: BoxNode) => {
    for (const node of boxesOf(moov, 'hdlr')) {
      node.body = Buffer.concat([
        node.body.subarray(0, 8),
        node.body.subarray(8, 12),
        Buffer.from('applCodeFlag'),
        name,
      ]);
    }
  };
  await expectBecomes(handler(Buffer.from(SECRET)), handler(Buffer.alloc(SECRET.length)), 'hdlr');
});

test('data references lose their names, and still say that the data is in the file', async () => {
  const references = (name: Buffer) => (moov: BoxNode) => {
    const entries = ['url ', 'alis', 'urn '].map((type) => {
      const head = Buffer.alloc(12);
      head.writeUInt32BE(head.length + name.length);
      head.write(type, 4, 'latin1');
      head.writeUInt8(1, 11);
      return Buffer.concat([head, name]);
    });
    const body = Buffer.concat([Buffer.from('0000000000000003', 'hex'), ...entries]);
    for (const node of boxesOf(moov, 'dref')) node.body = body;
  };
  const bytes = await expectBecomes(
    references(Buffer.from(SECRET)),
    references(Buffer.alloc(SECRET.length)),
    'dref',
  );
  expect((await soundPackets(bytes)).packets.length).toBeGreaterThan(40);
});

function boxBytes(type: string, ...inside: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(inside);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

test('boxes that are needed for playing stay in a fragment, and all others are removed', async () => {
  const fragment = (types: readonly string[], inFragment: readonly Buffer[] = []): Buffer => {
    const track = types.map((type) => boxBytes(type, Buffer.alloc(12), Buffer.from('rest')));
    const header = boxBytes('tfhd', Buffer.from('0000000000000001', 'hex'));
    return boxBytes(
      'moof',
      boxBytes('mfhd', Buffer.alloc(8)),
      ...inFragment,
      boxBytes('traf', header, ...track),
    );
  };
  const kept = 'tfdt trun sdtp sgpd sbgp subs saiz saio'.split(' ');
  const whole = Buffer.concat([plain, fragment(kept)]);
  expect((await clean(whole, 'video')).bytes.equals(whole)).toBe(true);

  const words = Buffer.from(SECRET);
  const [secret, free] = [boxBytes('uuid', words), boxBytes('free', Buffer.alloc(words.length))];
  const built = (own: Buffer): Buffer =>
    Buffer.concat([
      plain,
      fragment(kept, [own]),
      boxBytes('moof', boxBytes('traf', boxBytes('tfhd', Buffer.from('0000000000000001', 'hex')), own)),
    ]);
  expect((await clean(built(secret), 'video')).bytes.equals(built(free))).toBe(true);
});

test.each(['ftyp', 'styp', 'mdat'])('a box %s beside the index stays as it is', async (type) => {
  const whole = Buffer.concat([plain, boxBytes(type, Buffer.from('isom\0\0\0\0isom', 'latin1'))]);
  expect((await clean(whole, 'video')).bytes.equals(whole)).toBe(true);
});

test.each(['udta', 'uuid', 'meta', 'sidx', 'mfra', 'pnot', 'free', 'trak'])(
  'a box %s beside the index becomes free space, however its length is written',
  async (type) => {
    const words = Buffer.from(SECRET);
    const long = Buffer.alloc(16);
    long.writeUInt32BE(1);
    long.write(type, 4, 'latin1');
    long.writeBigUInt64BE(BigInt(16 + words.length), 8);
    const toEnd = boxBytes(type, words);
    toEnd.writeUInt32BE(0);
    for (const own of [boxBytes(type, words), Buffer.concat([long, words]), toEnd]) {
      const { bytes } = await clean(Buffer.concat([plain, own]), 'video');
      const free = boxBytes('free', Buffer.alloc(own.length - 8));
      expect(bytes.equals(Buffer.concat([plain, free]))).toBe(true);
    }
  },
);

test.each([1, 2, 4, 7])(
  'a clip with %i zero bytes at its end is accepted, and one with other bytes is not',
  async (length) => {
    const whole = Buffer.concat([plain, Buffer.alloc(length)]);
    expect((await clean(whole, 'video')).bytes.equals(whole)).toBe(true);
    whole[whole.length - 1] = 1;
    await expect(clean(whole, 'video')).rejects.toMatchObject({ problem: { kind: 'undecodable' } });
  },
);
