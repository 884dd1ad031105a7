import { damaged, unclearLength } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';
import { FLAC_HEADER_BYTES, flacChecksum, flacFrameAt } from './flac-frame.ts';
import { PACKET_BYTES_MAX, type SoundMeter } from './sound-meter.ts';

const WINDOW_BYTES = 120 * 1024;

/**
 * How long the frames from `from` to `to` last, in seconds, by the header of each. Nothing says where a frame ends,
 * so everything that looks like a header counts: by chance that is one in some 50 MB. One of another rate than the
 * stream's would count for hours, so it must be chance, as the checksums of the frames around it tell; in a file
 * where it is not, programs disagree about the rate.
 */
export async function flacSeconds(
  source: MediaSource,
  rateHz: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<number> {
  let samples = 0;
  let checksum = 0;
  let isOdd = false;
  for (let start = from; start < to; start += WINDOW_BYTES) {
    const bytes = await source.upTo(start, Math.min(WINDOW_BYTES + FLAC_HEADER_BYTES, to - start));
    const end = Math.min(WINDOW_BYTES, bytes.length);
    let done = 0;
    for (let at = bytes.indexOf(0xff); at >= 0 && at < end; at = bytes.indexOf(0xff, at + 1)) {
      const frame = flacFrameAt(bytes, at);
      if (!frame) continue;
      checksum = flacChecksum(checksum, bytes, done, at);
      done = at;
      const wasOdd = isOdd;
      isOdd = frame.rateHz !== 0 && frame.rateHz !== rateHz;
      if (checksum === 0 && (isOdd || wasOdd)) throw otherRate();
      if (!isOdd) samples += frame.samples;
      checksum = 0;
    }
    checksum = flacChecksum(checksum, bytes, done, end);
  }
  if (isOdd && checksum === 0) throw otherRate();
  if (samples === 0) throw damaged('a FLAC without sound');
  return samples / rateHz;
}

/** FLAC in packets: as many frames as a packet has headers. */
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

function otherRate(): Error {
  return unclearLength('twice', 'the frames of a FLAC have another rate than it says');
}
