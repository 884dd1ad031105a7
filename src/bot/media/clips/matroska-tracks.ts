import type { EmptySpace, Patches } from '../edit.ts';
import { damaged, unclearLength } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';
import type { SoundMeter } from '../sounds/sound-meter.ts';
import { OnlyOnce, type WholeElement, elementsIn, readFloat, readNumber } from './ebml.ts';
import { type SoundFormat, meterOf, withoutComments } from './matroska-sound.ts';
import { TRACK_PARTS, tidyElement } from './matroska-tidy.ts';

/** A track, as the Matroska or WebM file describes it. */
export interface MatroskaTrack {
  readonly number: number;
  readonly kind: 'video' | 'audio' | 'other';
  readonly size: { readonly width: number; readonly height: number } | null;
  /** A packet's default duration; 0 if the file states none. */
  readonly packetSeconds: number;
  /** `undefined` for video, and for sound that the bot cannot measure. */
  readonly sound: SoundMeter | undefined;
}

/** The changes that will overwrite the file in place. */
interface Overwritten {
  readonly patches: Patches;
  readonly space: EmptySpace;
}

const TRACK = 0xae;
const TRACK_NUMBER = 0xd7;
const TRACK_TYPE = 0x83;
const DEFAULT_DURATION = 0x23e383;
const TRACK_TIMESTAMP_SCALE = 0x23314f;
const CODEC = 0x86;
const CODEC_SETUP = 0x63a2;
const ENCODINGS = 0x6d80;
const VIDEO = 0xe0;
const WIDTH = 0xb0;
const HEIGHT = 0xba;
const AUDIO = 0xe1;
const RATE = 0xb5;
const OUTPUT_RATE = 0x78b5;
const CHANNELS = 0x9f;
const BITS = 0x6264;
const ONCE_IN_TRACK = [
  TRACK_NUMBER,
  TRACK_TYPE,
  DEFAULT_DURATION,
  TRACK_TIMESTAMP_SCALE,
  CODEC,
  CODEC_SETUP,
  VIDEO,
  AUDIO,
];
const TRACKS_MAX = 100;
const SETUP_BYTES_MAX = 1024 * 1024;
const NAME_BYTES_MAX = 64;
const NS_PER_SECOND = 1e9;

const TIMESTAMP_SCALE = 0x2ad7b1;
const DURATION = 0x4489;
/**
 * The names of the programs that wrote the file. The format requires these elements, so they stay and become empty.
 */
const PROGRAM_NAMES: readonly number[] = [0x4d80, 0x5741];

/** Reads the tracks, and adds patches that keep only the descriptions of video and sound, without names. */
export async function readTracks(
  source: MediaSource,
  tracks: WholeElement,
  { patches, space }: Overwritten,
): Promise<MatroskaTrack[]> {
  const found: { readonly entry: WholeElement; readonly track: DescribedTrack }[] = [];
  let setupBytes = 0;
  for await (const entry of elementsIn(source, tracks.body, tracks.end)) {
    if (entry.id !== TRACK) {
      space.add(entry.start, entry.end, tracks.body);
      continue;
    }
    const track = await readTrack(source, entry);
    found.push({ entry, track });
    if (found.length > TRACKS_MAX) throw damaged('a clip has too many tracks');
    setupBytes += track.format.setup.length;
    if (setupBytes > SETUP_BYTES_MAX) throw damaged('the setup of the tracks is too large');
  }
  const kept: MatroskaTrack[] = [];
  const isHeard = found.some(({ track }) => track.sound);
  for (const { entry, track } of found) {
    const isSilent = track.kind === 'audio' && !track.sound;
    if (isSilent && !isHeard) throw unclearLength('sound', 'the sound of a clip cannot be measured');
    const isKept = track.kind !== 'other' && !isSilent;
    if (isKept) {
      kept.push(track);
      const clean = withoutComments(track.format);
      if (clean) patches.write(track.setupAt, clean);
    }
    await tidyElement(source, entry, { keep: isKept ? TRACK_PARTS : undefined, space, parent: tracks.body });
  }
  if (new Set(found.map(({ track }) => track.number)).size < found.length) {
    throw unclearLength('twice', 'two tracks of a clip have the same number');
  }
  return kept;
}

/**
 * Reads the duration that the file states, and the length of its ticks. Adds patches that overwrite everything else.
 */
export async function readInfo(
  source: MediaSource,
  info: WholeElement,
  { patches, space }: Overwritten,
): Promise<{ readonly tickNs: number; readonly durationTicks: number }> {
  let tickNs = 1_000_000;
  let durationTicks = 0;
  const once = new OnlyOnce([TIMESTAMP_SCALE, DURATION]);
  for await (const element of elementsIn(source, info.body, info.end)) {
    once.see(element.id);
    if (element.id === TIMESTAMP_SCALE) tickNs = await readNumber(source, element);
    else if (element.id === DURATION) durationTicks = await readFloat(source, element);
    else if (PROGRAM_NAMES.includes(element.id)) patches.zero(element.body, element.end - element.body);
    else space.add(element.start, element.end, info.body);
  }
  if (tickNs === 0 || !(durationTicks >= 0) || durationTicks === Infinity)
    throw damaged('a clip has no clock');
  return { tickNs, durationTicks };
}

/** A track with the description of its sound, and the offset of the codec setup in the file. */
interface DescribedTrack extends MatroskaTrack {
  readonly format: SoundFormat;
  readonly setupAt: number;
}

async function readTrack(source: MediaSource, entry: WholeElement): Promise<DescribedTrack> {
  const numbers = new Map<number, number>();
  const once = new OnlyOnce(ONCE_IN_TRACK);
  let size: MatroskaTrack['size'] = null;
  let setupAt = 0;
  let format: SoundFormat = { codec: '', setup: Buffer.alloc(0), rateHz: 8_000, channels: 1, bits: 0 };
  for await (const element of elementsIn(source, entry.body, entry.end)) {
    once.see(element.id);
    if (element.id === TRACK_TIMESTAMP_SCALE) {
      if ((await readFloat(source, element)) !== 1)
        throw unclearLength('speed', 'a track of a clip has another time scale');
    } else if (element.id === VIDEO) size = await readSize(source, element);
    else if (element.id === AUDIO) format = { ...format, ...(await readAudio(source, element)) };
    else if (element.id === CODEC) format = { ...format, codec: await readText(source, element) };
    else if (element.id === CODEC_SETUP) {
      format = { ...format, setup: await readSetup(source, element) };
      setupAt = element.body;
    } else if ([TRACK_NUMBER, TRACK_TYPE, DEFAULT_DURATION, ENCODINGS].includes(element.id)) {
      numbers.set(element.id, await readNumber(source, element));
    }
  }
  const type = numbers.get(TRACK_TYPE);
  const kind = type === 1 ? 'video' : type === 2 ? 'audio' : 'other';
  return {
    number: numbers.get(TRACK_NUMBER) ?? 0,
    kind,
    size,
    format,
    setupAt,
    packetSeconds: (numbers.get(DEFAULT_DURATION) ?? 0) / NS_PER_SECOND,
    // Sound that is also compressed or encrypted by the container cannot be measured.
    sound: kind === 'audio' && !numbers.has(ENCODINGS) ? meterOf(format) : undefined,
  };
}

async function readSetup(source: MediaSource, { body, end }: WholeElement): Promise<Buffer> {
  if (end - body > SETUP_BYTES_MAX) throw damaged('the setup of a track is too large');
  return source.bytes(body, end - body);
}

async function readText(source: MediaSource, { body, end }: WholeElement): Promise<string> {
  if (end - body > NAME_BYTES_MAX) throw damaged('the name of a codec is too long');
  const text = await source.bytes(body, end - body);
  return text.toString('latin1').replace(/\0.*$/, '');
}

async function readAudio(
  source: MediaSource,
  audio: WholeElement,
): Promise<Pick<SoundFormat, 'rateHz' | 'channels' | 'bits'>> {
  const once = new OnlyOnce([RATE, OUTPUT_RATE, CHANNELS, BITS]);
  const rates: number[] = [];
  let channels = 1;
  let bits = 0;
  for await (const element of elementsIn(source, audio.body, audio.end)) {
    once.see(element.id);
    if (element.id === RATE || element.id === OUTPUT_RATE) rates.push(await readFloat(source, element));
    else if (element.id === CHANNELS) channels = await readNumber(source, element);
    else if (element.id === BITS) bits = await readNumber(source, element);
  }
  return {
    rateHz: Math.min(...rates.filter((rateHz) => rateHz > 0), rates.length === 0 ? 8_000 : Infinity),
    channels,
    bits,
  };
}

async function readSize(
  source: MediaSource,
  video: WholeElement,
): Promise<{ width: number; height: number }> {
  let width = 0;
  let height = 0;
  for await (const element of elementsIn(source, video.body, video.end)) {
    if (element.id === WIDTH) width = await readNumber(source, element);
    else if (element.id === HEIGHT) height = await readNumber(source, element);
  }
  return { width, height };
}
