import { readFile } from 'node:fs/promises';
import { opus } from 'prism-media';

/** The notice that is spoken in a channel before the bot listens to members. Created by `.ci/make-voice-notice.mjs`. */
const NOTICE = new URL('voice-notice.ogg', import.meta.url);
/** 30 s, which is far longer than the notice. */
const PACKETS_MAX = 1_500;

/** Reads the Opus packets (20 ms each) of a spoken notice from an Ogg file, by default from the one in this folder. */
export async function readNotice(path: string | URL = NOTICE): Promise<readonly Uint8Array[]> {
  const demuxer = new opus.OggDemuxer();
  demuxer.end(await readFile(path));
  const packets: Uint8Array[] = [];
  for await (const packet of demuxer) {
    if (packets.length < PACKETS_MAX && packet instanceof Uint8Array) packets.push(packet);
  }
  return packets;
}
