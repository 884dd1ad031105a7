import { damaged, unclearLength } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';
import { FLAC_HEADER_BYTES, type FlacFrame, flacChecksum, flacFrameAt } from './flac-frame.ts';
import { PACKET_BYTES_MAX, type SoundMeter } from './sound-meter.ts';

const WINDOW_BYTES = 120 * 1024;

/** The properties that all frames of a FLAC file share. */
export interface FlacStream {
  readonly rateHz: number;
  /** The number of samples in the largest frame. */
  readonly frameSamplesMax: number;
}

/**
 * Returns how long the frames from `from` to `to` last according to their headers, in seconds. Decoders fill the gap
 * before a frame that claims to start later. FLAC does not store where a frame ends, so everything that looks like a
 * header counts; random data contains such a header by chance about once in 50 MB. The position and rate in such a
 * chance header are ignored if it is the only one inside a frame with a correct checksum. Throws `MediaError` if a
 * frame other than the last one has a wrong checksum, because FFmpeg may play the frames after it twice, or if a
 * frame's rate differs from the stream's, because programs then disagree about the length.
 */
export async function flacSeconds(
  source: MediaSource,
  { rateHz, frameSamplesMax }: FlacStream,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<number> {
  const frames = new FlacFrames(rateHz, frameSamplesMax);
  for (let start = from; start < to; start += WINDOW_BYTES) {
    const bytes = await source.upTo(start, Math.min(WINDOW_BYTES + FLAC_HEADER_BYTES, to - start));
    const end = Math.min(WINDOW_BYTES, bytes.length);
    let done = 0;
    for (let at = bytes.indexOf(0xff); at >= 0 && at < end; at = bytes.indexOf(0xff, at + 1)) {
      const frame = flacFrameAt(bytes, at);
      if (!frame) continue;
      frames.follow(bytes, done, at);
      frames.begin(frame);
      done = at;
    }
    frames.follow(bytes, done, end);
  }
  const samples = frames.finish();
  if (samples === 0) throw damaged('a FLAC without sound');
  return samples / rateHz;
}

/** A frame whose end has not been found yet, and the checksum of its bytes so far. */
interface OpenFrame {
  readonly frame: FlacFrame;
  checksum: number;
}

/** The maximum number of headers whose frames may be open at once. All but one of these headers are there by chance. */
const OPEN_MAX = 8;

/** Determines which of the headers belong to frames. */
class FlacFrames {
  readonly #rateHz: number;
  #frameSamplesMax: number;
  #open: OpenFrame[] = [];
  #end = 0;

  constructor(rateHz: number, frameSamplesMax: number) {
    this.#rateHz = rateHz;
    this.#frameSamplesMax = frameSamplesMax;
  }

  follow(bytes: Buffer, from: number, to: number): void {
    for (const open of this.#open) open.checksum = flacChecksum(open.checksum, bytes, from, to);
  }

  begin(frame: FlacFrame): void {
    this.#close();
    if (this.#open.length === OPEN_MAX) throw brokenFrame();
    this.#open.push({ frame, checksum: 0 });
  }

  /** Closes the last frame and returns the total number of samples. */
  finish(): number {
    this.#close();
    const [last, ...others] = this.#open;
    if (others.length > 0) throw brokenFrame();
    // The end of a recording may be cut off.
    if (last) this.#count(last);
    return this.#end;
  }

  /**
   * Closes the frame whose checksum is correct at this point, if there is one. Headers inside it are there by chance.
   */
  #close(): void {
    const index = this.#open.findIndex(({ checksum }) => checksum === 0);
    if (index < 0) return;
    if (index > 0) throw brokenFrame();
    const [whole, ...chances] = this.#open;
    if (whole) this.#count(whole);
    for (const chance of chances) {
      if (chances.length === 1) this.#countChance(chance);
      else this.#count(chance);
    }
    this.#open = [];
  }

  #count({ frame }: OpenFrame): void {
    if (this.#isOdd(frame)) throw otherRate();
    this.#frameSamplesMax = Math.max(this.#frameSamplesMax, frame.samples);
    const start = frame.countsSamples ? frame.number : frame.number * this.#frameSamplesMax;
    this.#end = Math.max(this.#end, start) + frame.samples;
  }

  #countChance({ frame }: OpenFrame): void {
    if (!this.#isOdd(frame)) this.#end += frame.samples;
  }

  #isOdd({ rateHz }: FlacFrame): boolean {
    return rateHz !== 0 && rateHz !== this.#rateHz;
  }
}

/** Returns a meter for FLAC packets; everything in a packet that looks like a frame header counts as a frame. */
export function flacMeter(streamRateHz: number): SoundMeter {
  return {
    headBytes: PACKET_BYTES_MAX,
    seconds(packet) {
      let seconds = 0;
      for (let at = packet.indexOf(0xff); at >= 0; at = packet.indexOf(0xff, at + 1)) {
        const frame = flacFrameAt(packet, at);
        if (frame && frame.rateHz !== 0 && frame.rateHz !== streamRateHz) throw otherRate();
        seconds += (frame?.samples ?? 0) / streamRateHz;
      }
      return seconds;
    },
  };
}

function brokenFrame(): Error {
  return damaged('a frame of a FLAC is broken');
}

function otherRate(): Error {
  return unclearLength('twice', 'the frames of a FLAC have another rate than it states');
}
