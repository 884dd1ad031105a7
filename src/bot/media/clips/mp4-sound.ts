import { aacFormat } from '../sounds/aac-config.ts';
import { aacMeter } from '../sounds/aac-meter.ts';
import { flacMeter } from '../sounds/flac-length.ts';
import { ac3Meter, amrMeter, mpegMeter } from '../sounds/frame-meters.ts';
import { opusMeter } from '../sounds/opus-meter.ts';
import { type SoundMeter, evenMeter, longestMeter, pcmMeter } from '../sounds/sound-meter.ts';
import { unclearLength } from '../media-error.ts';
import { type Box, boxesIn } from './mp4-boxes.ts';

/** How to measure a track's sound. If the sound is uncompressed, its samples also count as frames. */
export interface TrackSound {
  readonly meter: SoundMeter;
  readonly pcm?: { readonly rateHz: number };
}

const ENTRIES_AT = 8;
const ENTRY_BYTES = 28;
const SECOND_VERSION_BYTES = 56;
/** Bytes per sample in formats with a fixed sample size. */
const PCM_BYTES: Readonly<Record<string, number>> = {
  in24: 3,
  in32: 4,
  fl32: 4,
  fl64: 8,
  alaw: 1,
  ulaw: 1,
};
/** Formats in which the sample description states the sample size. */
const PCM_KINDS: readonly string[] = ['sowt', 'twos', 'raw ', 'lpcm'];
const AAC_KINDS: readonly number[] = [0x40, 0x66, 0x67, 0x68];
const MPEG_KINDS: readonly number[] = [0x69, 0x6b];
const AC3_KINDS: readonly number[] = [0xa5, 0xa6];
/** Boxes that determine times. Some programs look for them anywhere, even inside the sample description. */
const CLOCKS: readonly string[] = 'mvhd mdhd tkhd hdlr elst stts ctts stsc stsz stz2 stco co64 stsd'.split(
  ' ',
);

/**
 * Returns how to measure the sound that an `stsd` box describes, or `undefined` if the bot cannot measure it. `clockHz`
 * is used if the description states no sample rate.
 */
export function readSound(bytes: Buffer, stsd: Box, clockHz: number): TrackSound | undefined {
  const found: TrackSound[] = [];
  for (const entry of boxesIn(bytes, Math.min(stsd.body + ENTRIES_AT, stsd.end), stsd.end)) {
    const sound = readEntry(entry.type, bytes.subarray(entry.body, entry.end), clockHz);
    if (!sound) return undefined;
    found.push(sound);
  }
  const [first, ...others] = found;
  if (!first || others.length === 0) return first;
  // No honest track mixes compressed and uncompressed sound.
  if (found.some(({ pcm }) => pcm)) return undefined;
  return { meter: longestMeter(found.map(({ meter }) => meter)) };
}

/** Throws `MediaError` if a track's sample description contains boxes that determine times. */
export function demandNoClocks(bytes: Buffer, stsd: Box): void {
  const inside = bytes.subarray(stsd.body, stsd.end);
  if (CLOCKS.some((type) => inside.includes(type, 0, 'latin1'))) {
    throw unclearLength('twice', 'the description of a track holds tables of its own');
  }
}

function readEntry(type: string, entry: Buffer, clockHz: number): TrackSound | undefined {
  if (entry.length < ENTRY_BYTES) return undefined;
  switch (type) {
    case 'mp4a':
      return measured(meterByDescriptor(entry));
    case '.mp3':
    case 'ms\0U':
      return { meter: mpegMeter };
    case 'Opus':
      return { meter: opusMeter };
    case 'ac-3':
    case 'ec-3':
      return { meter: ac3Meter };
    case 'samr':
    case 'sawb':
      return { meter: amrMeter(type === 'sawb') };
    case 'fLaC':
      return measured(flacByInfo(entry));
    case 'alac':
      return measured(alacByCookie(entry));
    default:
      return pcmSound(type, entry, clockHz);
  }
}

function measured(meter: SoundMeter | undefined): TrackSound | undefined {
  return meter && { meter };
}

/** Returns the offset of the body of the only box of this type, or `undefined` if there is none or more than one. */
function onlyBox(entry: Buffer, type: string): number | undefined {
  const at = entry.indexOf(type, ENTRY_BYTES, 'latin1');
  if (at < 0) return undefined;
  return entry.includes(type, at + 4, 'latin1') ? undefined : at + 4;
}

function meterByDescriptor(entry: Buffer): SoundMeter | undefined {
  const at = onlyBox(entry, 'esds');
  if (at === undefined) return undefined;
  const stream = descriptorAt(entry, at + 4, 0x03);
  if (!stream) return undefined;
  const flags = entry[stream.body + 2] ?? 0;
  // Honest files have none of the additional fields that these flags indicate.
  if ((flags & 0xe0) !== 0) return undefined;
  const decoder = descriptorAt(entry, stream.body + 3, 0x04);
  if (!decoder) return undefined;
  const kind = entry[decoder.body] ?? 0;
  if (MPEG_KINDS.includes(kind)) return mpegMeter;
  if (AC3_KINDS.includes(kind)) return ac3Meter;
  const config = descriptorAt(entry, decoder.body + 13, 0x05);
  const format =
    config && AAC_KINDS.includes(kind)
      ? aacFormat(entry.subarray(config.body, config.body + config.length))
      : undefined;
  return format && aacMeter(format);
}

/** Finds a descriptor in an `esds` box. A descriptor states its length in up to four bytes with seven bits each. */
function descriptorAt(
  entry: Buffer,
  at: number,
  tag: number,
): { readonly body: number; readonly length: number } | undefined {
  if (entry[at] !== tag) return undefined;
  let length = 0;
  for (let index = 1; index <= 4; index += 1) {
    const byte = entry[at + index] ?? 0;
    length = length * 128 + (byte & 0x7f);
    if ((byte & 0x80) === 0) return { body: at + index + 1, length };
  }
  return undefined;
}

function flacByInfo(entry: Buffer): SoundMeter | undefined {
  const at = onlyBox(entry, 'dfLa');
  // Skips the version and flags, the block header, and the fields before the rate.
  const rateAt = (at ?? 0) + 4 + 4 + 10;
  if (at === undefined || rateAt + 3 > entry.length) return undefined;
  const rateHz = entry.readUIntBE(rateAt, 3) >> 4;
  return rateHz === 0 ? undefined : flacMeter(rateHz);
}

function alacByCookie(entry: Buffer): SoundMeter | undefined {
  const at = onlyBox(entry, 'alac');
  if (at === undefined || at + 28 > entry.length) return undefined;
  const rates = [entry.readUInt32BE(at + 24), entry.readUInt16BE(24)].filter((rateHz) => rateHz > 0);
  return rates.length === 0 ? undefined : evenMeter(entry.readUInt32BE(at + 4) / Math.min(...rates));
}

function pcmSound(type: string, entry: Buffer, clockHz: number): TrackSound | undefined {
  const isSecond = entry.readUInt16BE(8) === 2 && entry.length >= SECOND_VERSION_BYTES;
  const stated = PCM_BYTES[type];
  if (stated === undefined && !PCM_KINDS.includes(type)) return undefined;
  const bits = isSecond ? entry.readUInt32BE(48) : entry.readUInt16BE(18);
  const channels = isSecond ? entry.readUInt32BE(40) : entry.readUInt16BE(16);
  const rateHz = (isSecond ? entry.readDoubleBE(32) : entry.readUInt16BE(24)) || clockHz;
  const frameBytes = channels * (stated ?? Math.ceil(bits / 8));
  if (!(rateHz > 0) || frameBytes === 0) return undefined;
  return { meter: pcmMeter(rateHz * frameBytes), pcm: { rateHz } };
}
