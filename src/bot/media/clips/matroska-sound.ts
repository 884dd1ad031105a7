import { aacFormat } from '../sounds/aac-config.ts';
import { aacMeter } from '../sounds/aac-meter.ts';
import { flacMeter } from '../sounds/flac-length.ts';
import { ac3Meter, mpegMeter } from '../sounds/frame-meters.ts';
import { opusMeter } from '../sounds/opus-meter.ts';
import { VORBIS_COMMENTS, emptyComments, withoutFlacComments } from '../sounds/sound-comments.ts';
import { type SoundMeter, pcmMeter } from '../sounds/sound-meter.ts';
import { vorbisMeter } from '../sounds/vorbis-meter.ts';

/** The description of a sound track in a Matroska or WebM file. */
export interface SoundFormat {
  readonly codec: string;
  readonly setup: Buffer;
  readonly rateHz: number;
  readonly channels: number;
  readonly bits: number;
}

const PCM: readonly string[] = ['A_PCM/INT/LIT', 'A_PCM/INT/BIG', 'A_PCM/FLOAT/IEEE'];
const FLAC_RATE_AT = 18;

/** Returns the meter for a track's sound, or `undefined` if the bot cannot measure this codec. */
export function meterOf({ codec, setup, rateHz, channels, bits }: SoundFormat): SoundMeter | undefined {
  if (PCM.includes(codec)) {
    const frameBytes = channels * Math.ceil(bits / 8);
    return frameBytes > 0 && rateHz > 0 ? pcmMeter(frameBytes * rateHz) : undefined;
  }
  switch (codec) {
    case 'A_OPUS':
      return opusMeter;
    case 'A_VORBIS':
      return vorbisByLaces(setup);
    case 'A_AAC': {
      const format = aacFormat(setup);
      return format && aacMeter(format);
    }
    case 'A_MPEG/L2':
    case 'A_MPEG/L3':
      return mpegMeter;
    case 'A_AC3':
    case 'A_EAC3':
      return ac3Meter;
    case 'A_FLAC': {
      const flacHz = setup.length < FLAC_RATE_AT + 3 ? 0 : setup.readUIntBE(FLAC_RATE_AT, 3) >> 4;
      return flacHz === 0 ? undefined : flacMeter(flacHz);
    }
    default:
      return undefined;
  }
}

function vorbisByLaces(setup: Buffer): SoundMeter | undefined {
  const packets = vorbisPackets(setup);
  return packets && vorbisMeter(setup.subarray(...packets.identification), setup.subarray(packets.setupAt));
}

/** Returns a track's codec setup with its comments emptied, or `undefined` if the setup has no comments. */
export function withoutComments({ codec, setup }: SoundFormat): Buffer | undefined {
  if (codec === 'A_FLAC') {
    const from = setup.toString('latin1', 0, 4) === 'fLaC' ? 4 : 0;
    return Buffer.concat([setup.subarray(0, from), withoutFlacComments(setup.subarray(from))]);
  }
  const packets = codec === 'A_VORBIS' ? vorbisPackets(setup) : undefined;
  if (!packets) return undefined;
  const [from, to] = packets.comments;
  return Buffer.concat([
    setup.subarray(0, from),
    emptyComments(VORBIS_COMMENTS, to - from),
    setup.subarray(to),
  ]);
}

/** Finds the three header packets in the setup of a Vorbis track. The sizes of the first two precede the packets. */
function vorbisPackets(setup: Buffer): VorbisPackets | undefined {
  if (setup[0] !== 2) return undefined;
  const sizes = [0, 0];
  let at = 1;
  for (const index of sizes.keys()) {
    let byte = 255;
    while (byte === 255) {
      byte = setup[at] ?? 0;
      sizes[index] = (sizes[index] ?? 0) + byte;
      at += 1;
    }
  }
  const [first = 0, second = 0] = sizes;
  const setupAt = at + first + second;
  if (setupAt > setup.length) return undefined;
  return { identification: [at, at + first], comments: [at + first, setupAt], setupAt };
}

interface VorbisPackets {
  readonly identification: readonly [number, number];
  readonly comments: readonly [number, number];
  readonly setupAt: number;
}
