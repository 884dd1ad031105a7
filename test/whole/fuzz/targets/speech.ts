import { SpeechDecoder } from '../../../../src/audio/speech-decoder.ts';
import { u16, u8 } from '../grammar/numbers.ts';
import type { Random } from '../random.ts';
import { type FuzzTarget, demand } from '../target.ts';

const RATE_HZ = 48_000;
const PACKETS_MAX = 30;
/** The largest level of a decoded sample. It may exceed full scale (1), but it must be finite. */
const LEVEL_MAX = 8;
/** The TOC byte of an Opus packet with 20 ms of full-band sound in one channel. */
const FULL_BAND = 0xf8;

/** Packets of one speaker: each consists of its length and its bytes. */
export const speech: FuzzTarget = {
  name: 'speech',
  generate: (random) =>
    Buffer.concat(Array.from({ length: 1 + random.count(PACKETS_MAX) }, () => packet(random))),
  async run(input) {
    using decoder = await SpeechDecoder.open(RATE_HZ);
    const packets = packetsOf(input);
    for (const one of packets) {
      const sound = one.length === 0 ? decoder.lost() : decoder.decode(one);
      demand(sound.length <= (RATE_HZ * 120) / 1000, 'a packet gives more sound than possible');
      demand(
        sound.every((sample) => Math.abs(sample) <= LEVEL_MAX),
        'a sample is not a number, or infinitely loud',
      );
    }
    return decoder.counts.faults === 0 ? 'accepted' : 'refused';
  },
};

function packet(random: Random): Buffer {
  const toc = random.happens(85) ? FULL_BAND : random.int(0, 255);
  const body = random.happens(50)
    ? random.bytes(random.count(300))
    : Buffer.alloc(random.count(300), random.pick([0, 0xff, 0xfe, 0x55]));
  const whole = random.happens(10) ? Buffer.alloc(0) : Buffer.concat([u8(toc), body]);
  return Buffer.concat([u16(whole.length), whole]);
}

function packetsOf(input: Buffer): Buffer[] {
  const packets: Buffer[] = [];
  for (let at = 0; at + 2 <= input.length && packets.length < PACKETS_MAX;) {
    const end = at + 2 + input.readUInt16BE(at);
    packets.push(input.subarray(at + 2, end));
    at = end;
  }
  return packets;
}
