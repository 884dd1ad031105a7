import type * as mediabunny from 'mediabunny';
import { RenderError } from '../render-error.ts';
import { CLIP_PIXELS_MAX } from './clip-limits.ts';
import { type AvFrame, type NodeAv, mustSucceed } from './node-av.ts';

type VideoTrack = mediabunny.InputVideoTrack;

const MICROSECONDS = 1e6;

/** Decodes the packets of one track, one after the other, on other threads. */
export class VideoDecoder implements Disposable {
  readonly #av: NodeAv;
  readonly #context: InstanceType<NodeAv['CodecContext']>;
  readonly #packet: InstanceType<NodeAv['Packet']>;
  readonly #frame: AvFrame;

  private constructor(av: NodeAv, context: InstanceType<NodeAv['CodecContext']>) {
    this.#av = av;
    this.#context = context;
    this.#packet = new av.Packet();
    this.#packet.alloc();
    this.#frame = new av.Frame();
    this.#frame.alloc();
  }

  /** Opens a decoder for the track. Throws `RenderError` `unsupported_format` if there is none. */
  static async open(av: NodeAv, track: VideoTrack): Promise<VideoDecoder> {
    const config = await track.getDecoderConfig();
    const codec = track.codec && config && av.Codec.findDecoder(codecIdOf(av, track.codec));
    if (!codec) throw new RenderError('unsupported_format', 'Cannot decode the clip: its codec is not known');
    const context = new av.CodecContext();
    context.allocContext3(codec);
    context.width = config.codedWidth ?? 0;
    context.height = config.codedHeight ?? 0;
    context.pktTimebase = new av.Rational(1, MICROSECONDS);
    context.extraData = config.description ? bufferOf(config.description) : null;
    // A stream may contain larger pictures than the clip's header declares.
    context.setOption('max_pixels', String(CLIP_PIXELS_MAX));
    // Without this option, pictures of clips that do not declare their reordering come out in the wrong order.
    context.setOption('strict', '1');
    const code = await context.open2();
    if (code < 0) {
      context.freeContext();
      throw new RenderError('unsupported_format', 'Cannot decode the clip');
    }
    return new VideoDecoder(av, context);
  }

  /**
   * Yields the pictures that `packet` completes or, if it is undefined, all remaining pictures. Each picture is valid
   * until the next one is requested. A packet that cannot be decoded is skipped, as in players.
   */
  async *decode(packet: mediabunny.EncodedPacket | undefined): AsyncGenerator<AvFrame> {
    const av = this.#av;
    if (packet) this.#fill(packet);
    const sent = await this.#context.sendPacket(packet ? this.#packet : null);
    this.#packet.unref();
    if (sent === av.AVERROR_ENOMEM) mustSucceed(av, sent, 'decode a packet');
    for (;;) {
      const received = await this.#context.receiveFrame(this.#frame);
      if (received === av.AVERROR_ENOMEM) mustSucceed(av, received, 'decode a packet');
      if (received < 0) return;
      yield this.#frame;
    }
  }

  [Symbol.dispose](): void {
    this.#context.freeContext();
    this.#packet.free();
    this.#frame.free();
  }

  #fill({ data, timestamp, duration, type }: mediabunny.EncodedPacket): void {
    const packet = this.#packet;
    packet.data = Buffer.from(data);
    packet.isKeyframe = type === 'key';
    packet.pts = BigInt(Math.round(timestamp * MICROSECONDS));
    packet.dts = this.#av.AV_NOPTS_VALUE;
    packet.duration = BigInt(Math.round(duration * MICROSECONDS));
  }
}

/** Times in seconds; pictures before the beginning of the clip have negative timestamps. */
export interface FrameTimes {
  readonly timestamp: number;
  readonly duration: number;
}

/** Returns the time and the duration of a decoded picture. */
export function timesOf(frame: AvFrame): FrameTimes {
  return {
    timestamp: Number(frame.pts) / MICROSECONDS,
    duration: Math.max(0, Number(frame.duration) / MICROSECONDS),
  };
}

function codecIdOf(av: NodeAv, codec: mediabunny.VideoCodec): Parameters<NodeAv['Codec']['findDecoder']>[0] {
  return {
    avc: av.AV_CODEC_ID_H264,
    hevc: av.AV_CODEC_ID_HEVC,
    vp8: av.AV_CODEC_ID_VP8,
    vp9: av.AV_CODEC_ID_VP9,
    av1: av.AV_CODEC_ID_AV1,
    prores: av.AV_CODEC_ID_PRORES,
  }[codec];
}

function bufferOf(bytes: NonNullable<VideoDecoderConfig['description']>): Buffer {
  if (ArrayBuffer.isView(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Buffer.from(bytes);
}
