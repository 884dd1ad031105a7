import type { Examined } from '../examined.ts';
import { unclearLength } from '../media-error.ts';
import type { MediaSource } from '../media-source.ts';
import { adtsFrame } from './adts-frame.ts';
import { adtsSeconds } from './adts-seconds.ts';
import { examineFrames } from './examine-frames.ts';

/**
 * After this many frames, FFmpeg is certain that a file is AAC. With fewer frames, it prefers FLAC if the first bytes
 * fit both formats.
 */
const FRAMES_MIN = 3;

/** Examines AAC in ADTS. The clean file keeps only the frames. */
export async function examineAdts(source: MediaSource): Promise<Examined> {
  let frames = 0;
  let mayBeFlac = false;
  const examined = await examineFrames(source, adtsFrame, (frame) => {
    if (frames === 0) mayBeFlac = ((frame[1] ?? 0) & 0xfe) === 0xf8;
    frames += 1;
    return adtsSeconds(frame);
  });
  // A dozen bytes, if decoded as FLAC, may claim to last several seconds.
  if (mayBeFlac && frames < FRAMES_MIN) throw unclearLength('sound', 'a few frames that are AAC or FLAC');
  return examined;
}
