import { createHash } from 'node:crypto';
import { ALL_FORMATS, EncodedPacketSink, FilePathSource, Input } from 'mediabunny';

/** Returns a digest and the time of each sound packet in the clip. */
export async function soundPackets(
  path: string,
): Promise<{ readonly digest: string; readonly at: number }[]> {
  using input = new Input({ formats: ALL_FORMATS, source: new FilePathSource(path) });
  const track = await input.getPrimaryAudioTrack();
  const packets: { digest: string; at: number }[] = [];
  if (!track) return packets;
  for await (const { data, timestamp } of new EncodedPacketSink(track).packets()) {
    packets.push({ digest: createHash('sha1').update(data).digest('hex'), at: timestamp });
  }
  return packets;
}

/** Returns the time of each frame of the clip in seconds, in order. */
export async function pictureTimes(path: string): Promise<number[]> {
  using input = new Input({ formats: ALL_FORMATS, source: new FilePathSource(path) });
  const track = await input.getPrimaryVideoTrack();
  const times: number[] = [];
  if (!track) return times;
  for await (const { timestamp } of new EncodedPacketSink(track).packets()) times.push(timestamp);
  return times.sort((a, b) => a - b);
}
