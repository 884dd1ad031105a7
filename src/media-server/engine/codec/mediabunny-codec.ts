import type * as mediabunny from 'mediabunny';
import { ignoreDecoderErrors } from '../../../base/children/ignore-decoder-errors.ts';
import { systemErrorCode } from '../../../base/errors.ts';
import { optionalModule } from '../optional-module.ts';
import { RenderError } from '../render-error.ts';
import type {
  ClipInfo,
  Codec,
  ReadVideoOptions,
  VideoFrame,
  VideoWriter,
  WriteVideoOptions,
} from './codec.ts';
import { DecodedFrame, sharedCanvas } from './decoded-frame.ts';
import { openClip } from './open-clip.ts';
import { MediabunnyWriter } from './mediabunny-writer.ts';
import { type AvFrame, type NodeAv, loadNodeAv, mustSucceed } from './node-av.ts';
import { PictureScaler } from './picture-scaler.ts';
import { readAhead } from './read-ahead.ts';
import { readMono } from './read-mono.ts';
import { evenSize } from './even-size.ts';
import { type FrameTimes, VideoDecoder, timesOf } from './video-decoder.ts';
import { type YuvPicture, coloursOf, yuvSizeBytes } from './yuv-picture.ts';

type Mediabunny = typeof mediabunny;

/** The number of pictures that are decoded in advance. */
const AHEAD = 3;
const PROBE_PACKETS = 60;

/** Runs FFmpeg's codecs inside the process (node-av) and uses mediabunny for the containers. */
export class MediabunnyCodec implements Codec {
  readonly #bunny: Mediabunny;
  readonly #av: NodeAv;

  private constructor(bunny: Mediabunny, av: NodeAv) {
    this.#bunny = bunny;
    this.#av = av;
  }

  /** Loads the packages. Throws an error that names a missing package. */
  static async load(): Promise<MediabunnyCodec> {
    const bunny = await optionalModule('mediabunny', import('mediabunny'));
    const server = await optionalModule('@mediabunny/server', import('@mediabunny/server'));
    // Without this option, the package looks for graphics cards and prints messages about them to stderr.
    server.registerMediabunnyServer({ hardwareContext: null });
    ignoreDecoderErrors();
    return new MediabunnyCodec(bunny, await loadNodeAv());
  }

  async probe(path: string): Promise<ClipInfo> {
    using input = this.#open(path);
    return await readable(async () => {
      const [video, audio] = await Promise.all([input.getPrimaryVideoTrack(), input.getPrimaryAudioTrack()]);
      // If there is no packet at all, mediabunny may search for the end of a FLAC file forever.
      const tracks = [video, audio].filter((track) => track !== null);
      const first = await Promise.all(
        tracks.map((track) => new this.#bunny.EncodedPacketSink(track).getFirstPacket()),
      );
      if (!first.some(Boolean)) throw undecodable();
      const packets = await video?.computePacketStats(PROBE_PACKETS);
      return {
        durationSeconds: await input.computeDuration(),
        video: video
          ? {
              width: video.displayWidth,
              height: video.displayHeight,
              frameRate: packets && packets.packetCount > 1 ? packets.averagePacketRate : 0,
            }
          : undefined,
        audio: audio ? { sampleRateHz: audio.sampleRate, channels: audio.numberOfChannels } : undefined,
      };
    });
  }

  async *readVideo(path: string, options: ReadVideoOptions = {}): AsyncGenerator<VideoFrame> {
    yield* readAhead(this.#decode(path, options), AHEAD);
  }

  async *readAudio(path: string, sampleRateHz: number): AsyncGenerator<Float32Array> {
    using input = this.#open(path);
    const track = await readable(() => input.getPrimaryAudioTrack());
    if (!track || !(await track.canDecode())) throw undecodable();
    yield* readMono(this.#bunny, this.#av, track, sampleRateHz);
  }

  async writeVideo(options: WriteVideoOptions): Promise<VideoWriter> {
    return await MediabunnyWriter.start(this.#bunny, this.#av, options);
  }

  async *#decode(path: string, { shorterSide }: ReadVideoOptions): AsyncGenerator<VideoFrame> {
    using input = this.#open(path);
    const track = await readable(() => input.getPrimaryVideoTrack());
    if (!track) throw undecodable();
    const size = evenSize(track.displayWidth, track.displayHeight, shorterSide);
    using decoder = await VideoDecoder.open(this.#av, track);
    using scaler = new PictureScaler(this.#av, { ...size, rotation: track.rotation });
    const scaled = new this.#av.Frame();
    scaled.alloc();
    // The buffers are for the waiting pictures, the picture in use, and the picture that is being decoded.
    const buffers = Array.from(
      { length: AHEAD + 2 },
      () => new Uint8Array(yuvSizeBytes(size.width, size.height)),
    );
    const canvas = sharedCanvas(size.width, size.height);
    let count = 0;
    let shown = Number.NEGATIVE_INFINITY;
    try {
      for await (const packet of this.#packets(track, () => count)) {
        for await (const frame of decoder.decode(packet)) {
          const times = timesOf(frame);
          // Pictures before the beginning are left over from cutting the clip. Broken clips may have two pictures with
          // the same time.
          if (times.timestamp < 0 && times.timestamp + times.duration <= 0) continue;
          if (times.timestamp <= shown) continue;
          shown = times.timestamp;
          const data = buffers[count++ % buffers.length];
          if (!data) continue;
          const planes = this.#copy(await scaler.scale(frame, scaled), data);
          yield new DecodedFrame(planes, fromZero(times), canvas);
        }
      }
    } finally {
      scaled.free();
    }
    if (count === 0) throw undecodable();
  }

  /**
   * Yields all packets, then undefined. A clip with damaged data ends at the damage if at least one picture was
   * decoded.
   */
  async *#packets(
    track: mediabunny.InputVideoTrack,
    decoded: () => number,
  ): AsyncGenerator<mediabunny.EncodedPacket | undefined> {
    try {
      yield* new this.#bunny.EncodedPacketSink(track).packets();
    } catch (error) {
      if (systemErrorCode(error) !== undefined) throw error;
      if (decoded() === 0) throw undecodable(error);
    }
    yield undefined;
  }

  #copy(frame: AvFrame, data: Uint8Array): YuvPicture {
    const { width, height, data: planes, linesize, colorSpace, colorPrimaries, colorTrc } = frame;
    let at = 0;
    for (let plane = 0; plane < 3; plane++) {
      const from = planes?.[plane];
      const stride = linesize[plane] ?? 0;
      const [rowBytes, rows] = plane === 0 ? [width, height] : [width / 2, height / 2];
      if (!from) mustSucceed(this.#av, this.#av.AVERROR_EINVAL, 'read a decoded picture');
      else if (stride === rowBytes) data.set(from.subarray(0, rowBytes * rows), at);
      else copyRows(from, stride, data.subarray(at), rowBytes, rows);
      at += rowBytes * rows;
    }
    const codes = { matrix: colorSpace, primaries: colorPrimaries, transfer: colorTrc };
    return { width, height, data, colours: coloursOf(codes, height) };
  }

  #open(path: string): mediabunny.Input {
    return openClip(this.#bunny, path);
  }
}

/** Cuts off the part of a picture's duration that is before the beginning of the clip. */
function fromZero({ timestamp, duration }: FrameTimes): FrameTimes {
  return timestamp < 0 ? { timestamp: 0, duration: duration + timestamp } : { timestamp, duration };
}

function copyRows(from: Uint8Array, stride: number, to: Uint8Array, rowBytes: number, rows: number): void {
  for (let row = 0; row < rows; row++) {
    to.set(from.subarray(row * stride, row * stride + rowBytes), row * rowBytes);
  }
}

/**
 * Errors that mediabunny throws while it reads a header are caused by the file, unless they are system
 * errors.
 */
async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (systemErrorCode(error) !== undefined || error instanceof RenderError) throw error;
    throw undecodable(error);
  }
}

function undecodable(cause?: unknown): RenderError {
  return new RenderError('unsupported_format', 'Cannot decode the clip', { cause });
}
