import { readByteRange } from '../../../../src/media-server/http/byte-range.ts';
import { byteRange } from '../../../../src/sandbox/rest/byte-range.ts';
import { parseRange } from '../../../../src/bot/web/byte-range.ts';
import type { Random } from '../random.ts';
import { type FuzzTarget, demand } from '../target.ts';

const SIZES_BYTES = [0, 1, 2, 1_000, 2 ** 32, Number.MAX_SAFE_INTEGER];

/** `Range` headers for files of several sizes, as the web part, the media server and the sandbox read them. */
export const byteRanges: FuzzTarget = {
  name: 'byte-ranges',
  generate(random) {
    const ranges = Array.from(
      { length: random.happens(15) ? random.int(0, 200) : 1 },
      () => `${number(random)}-${number(random)}`,
    );
    if (random.happens(40))
      return Buffer.from(`bytes=${random.int(0, 999)}-${random.pick(['', '1000', '99999'])}`);
    const unit = random.happens(90) ? 'bytes=' : random.pick(['bytes', 'Bytes=', 'items=', '', 'bytes= ']);
    return Buffer.from(`${unit}${ranges.join(random.pick([',', ', ']))}`);
  },
  run(input) {
    const header = input.toString('latin1');
    const isParts = SIZES_BYTES.map((sizeBytes) => {
      const ranges = [
        readByteRange(header, sizeBytes),
        parseRange(header, sizeBytes),
        byteRange(header, sizeBytes),
      ].map(endsOf);
      for (const ends of ranges) {
        if (ends)
          demand(
            0 <= ends[0] && ends[0] <= ends[1] && ends[1] < sizeBytes,
            'a range reaches beyond its file',
          );
      }
      const [server, web] = ranges;
      demand(
        !server || !web || (server[0] === web[0] && server[1] === web[1]),
        'two readers of a range do not agree',
      );
      return ranges.some((ends) => ends !== undefined);
    });
    return isParts.includes(true) ? 'accepted' : 'refused';
  },
};

function number(random: Random): string {
  return random.pick([
    '',
    '0',
    '1',
    '5',
    '999',
    '1000',
    String(random.hostileInt(32)),
    '9'.repeat(random.int(1, 40)),
    '-1',
    '1e3',
    '0x10',
    ' 1',
  ]);
}

function endsOf(range: unknown): readonly [number, number] | undefined {
  if (typeof range !== 'object' || range === null) return undefined;
  const [from, to] = Object.values(range).map(Number);
  return [from ?? Number.NaN, to ?? Number.NaN];
}
