import { damaged } from '../media-error.ts';
import type { SoundMeter } from './sound-meter.ts';
import { bitsFor, readVorbisModes } from './vorbis-setup.ts';

const IDENTIFICATION_BYTES = 30;

/**
 * Returns a meter for Vorbis. The first bits of a packet select its mode, which has one of two block sizes; the second
 * half of each block overlaps the next block.
 */
export function vorbisMeter(identification: Buffer, setup: Buffer): SoundMeter {
  const isOne = identification.toString('latin1', 0, 7) === '\x01vorbis';
  if (!isOne || identification.length < IDENTIFICATION_BYTES) throw damaged('a Vorbis has no header');
  const rateHz = identification.readUInt32LE(12);
  if (rateHz === 0) throw damaged('a Vorbis has no clock');
  const sizes = identification.readUInt8(28);
  const modes = readVorbisModes(setup, identification.readUInt8(11));
  const samples = modes.map((isLong) => 2 ** (isLong ? sizes >> 4 : sizes & 0x0f));
  const mask = 2 ** bitsFor(modes.length - 1) - 1;
  let before = 0;
  return {
    headBytes: 1,
    seconds(head) {
      const [first] = head;
      // The lowest bit is set in packets without sound.
      if (first === undefined || (first & 1) === 1) return 0;
      const now = samples[(first >> 1) & mask] ?? 0;
      const seconds = before === 0 ? 0 : (before + now) / 4 / rateHz;
      before = now;
      return seconds;
    },
  };
}
