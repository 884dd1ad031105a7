import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import type { TimedPacket } from './matroska-writer.ts';

export interface SoundPackets {
  readonly setup: Uint8Array;
  readonly packets: readonly TimedPacket[];
}

/** Returns a file's audio packets, with their times in milliseconds, and the configuration of their decoder. */
export async function soundPackets(bytes: Uint8Array): Promise<SoundPackets> {
  using input = new Input({ formats: ALL_FORMATS, source: new BufferSource(bytes) });
  const track = await input.getPrimaryAudioTrack();
  if (!track) throw new Error('The file has no sound');
  const description = (await track.getDecoderConfig())?.description;
  const packets: TimedPacket[] = [];
  for await (const { data, timestamp } of new EncodedPacketSink(track).packets()) {
    packets.push({ data, tick: Math.round(timestamp * 1_000) });
  }
  return { setup: bytesOf(description), packets };
}

function bytesOf(description: AudioDecoderConfig['description']): Uint8Array {
  if (!description) return new Uint8Array(0);
  if (ArrayBuffer.isView(description)) {
    return new Uint8Array(description.buffer, description.byteOffset, description.byteLength);
  }
  return new Uint8Array(description);
}
