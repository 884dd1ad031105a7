import { join } from 'node:path';
import type * as mediabunny from 'mediabunny';
import { MediabunnyCodec } from '../../../../src/media-server/engine/codec/mediabunny-codec.ts';
import { type Face, largestFace } from '../../../../src/media-server/engine/face/face.ts';
import type { FaceReader } from '../../../../src/media-server/engine/face/face-reader.ts';
import type { Pixels } from '../../../../src/media-server/engine/pixels.ts';
import { useFolder } from '../../../helpers/use-folder.ts';

/** A frame of a clip, as a separate copy, with its face. */
export interface Shot {
  readonly pixels: Pixels;
  readonly face: Face | undefined;
}

/** Writes the first `seconds` of a clip with its sound, after `change` has changed each frame in place. */
export async function cutClip(
  path: string,
  seconds: number,
  change: (pixels: Pixels, n: number) => void = () => {},
): Promise<string> {
  const codec = await MediabunnyCodec.load();
  const info = await codec.probe(path);
  if (!info.video) throw new Error(`Cannot cut ${path}`);
  const cut = join(await useFolder(), 'cut.mp4');
  await using writer = await codec.writeVideo({
    path: cut,
    ...info.video,
    sound: { from: 'clip', path },
  });
  let n = 0;
  for await (const { pixels, timestamp, duration } of codec.readVideo(path)) {
    if (timestamp >= seconds) break;
    change(pixels, n++);
    await writer.add(pixels, timestamp, duration);
  }
  await writer.finish();
  return cut;
}

/** Writes the first `seconds` of each clip, one clip after the other, at 640 x 360 pixels, without sound. */
export async function joinClips(paths: readonly string[], seconds: number): Promise<string> {
  const size = { width: 640, height: 360 };
  return await writeClip({ ...size, frameRate: 25 }, async function* (codec) {
    for (const path of paths) {
      const { video } = await codec.probe(path);
      const shorterSide = video && (size.width * video.height) / video.width;
      for await (const { pixels, timestamp } of codec.readVideo(path, shorterSide ? { shorterSide } : {})) {
        if (timestamp >= seconds) break;
        yield cropped(pixels, 0, Math.min(40, pixels.height - size.height), size);
      }
    }
  });
}

/**
 * Writes the first `count` frames of a clip, seen through a window of this size that moves to the right, without
 * sound.
 */
export async function moveWindow(
  path: string,
  { count, ...size }: { readonly width: number; readonly height: number; readonly count: number },
): Promise<string> {
  return await writeClip({ ...size, frameRate: 25 }, async function* (codec) {
    let n = 0;
    for await (const { pixels } of codec.readVideo(path)) {
      const room = pixels.width - size.width;
      yield cropped(pixels, (room * n) / (count - 1), pixels.height - size.height, size);
      if (++n === count) return;
    }
  });
}

async function writeClip(
  shape: { readonly width: number; readonly height: number; readonly frameRate: number },
  pictures: (codec: MediabunnyCodec) => AsyncIterable<Pixels>,
): Promise<string> {
  const codec = await MediabunnyCodec.load();
  const path = join(await useFolder(), 'written.mp4');
  await using writer = await codec.writeVideo({ path, ...shape, sound: { from: 'nowhere' } });
  const seconds = 1 / shape.frameRate;
  let n = 0;
  for await (const picture of pictures(codec)) await writer.add(picture, n++ * seconds, seconds);
  await writer.finish();
  return path;
}

function cropped(
  { width, data }: Pixels,
  left: number,
  top: number,
  size: { readonly width: number; readonly height: number },
): Pixels {
  const bytes = new Uint8Array(size.width * size.height * 4);
  for (let y = 0; y < size.height; y++) {
    const from = ((Math.floor(top) + y) * width + Math.floor(left)) * 4;
    bytes.set(data.subarray(from, from + size.width * 4), y * size.width * 4);
  }
  return { ...size, data: bytes };
}

/** Returns every `step`-th frame of a clip, scaled to a longer side of `size` pixels, with its largest face. */
export async function shots(path: string, size: number, step: number, reader: FaceReader): Promise<Shot[]> {
  const codec = await MediabunnyCodec.load();
  const { video } = await codec.probe(path);
  if (!video) throw new Error(`Cannot read ${path}`);
  const shorterSide = (size * Math.min(video.width, video.height)) / Math.max(video.width, video.height);
  const found: Shot[] = [];
  let n = 0;
  for await (const { pixels } of codec.readVideo(path, { shorterSide })) {
    if (n++ % step !== 0) continue;
    const own = { ...pixels, data: Uint8Array.from(pixels.data) };
    found.push({ pixels: own, face: largestFace(await reader.find(own)) });
  }
  return found;
}

/** Returns the packets of a clip's sound as they are stored. */
export async function soundPackets(path: string): Promise<readonly { timestamp: number; bytes: string }[]> {
  const bunny: typeof mediabunny = await import('mediabunny');
  using input = new bunny.Input({ formats: bunny.ALL_FORMATS, source: new bunny.FilePathSource(path) });
  const track = await input.getPrimaryAudioTrack();
  const packets: { timestamp: number; bytes: string }[] = [];
  if (!track) return packets;
  for await (const { timestamp, data } of new bunny.EncodedPacketSink(track).packets()) {
    packets.push({ timestamp, bytes: Buffer.from(data).toString('base64') });
  }
  return packets;
}
