import { readFile } from 'node:fs/promises';
import { opus } from 'prism-media';

/** What is spoken into a channel before anybody is heard; made by `.ci/make-voice-notice.mjs`. */
const NOTICE = new URL('voice-notice.ogg', import.meta.url);
/** Far more than the notice has: 30 s. */
const PACKETS_MAX = 1_500;

/** The Opus packets of a spoken notice, 20 ms each: of an Ogg file, or the one that comes with this program. */
export async function readNotice(path: string | URL = NOTICE): Promise<readonly Uint8Array[]> {
  const demuxer = new opus.OggDemuxer();
  demuxer.end(await readFile(path));
  const packets: Uint8Array[] = [];
  for await (const packet of demuxer) {
    if (packets.length < PACKETS_MAX && packet instanceof Uint8Array) packets.push(packet);
  }
  return packets;
}
