import { RenderError } from '../render-error.ts';
import { ChildProgram, outputOf } from './child-program.ts';
import { CLIP_PIXELS_MAX } from './clip-limits.ts';
import type {
  ClipInfo,
  Codec,
  ReadVideoOptions,
  VideoFrame,
  VideoWriter,
  WriteVideoOptions,
} from './codec.ts';
import { DecodedFrame, sharedCanvas } from './decoded-frame.ts';
import { inputArgs, probeWithFfprobe } from './probe-with-ffprobe.ts';
import { FfmpegWriter } from './ffmpeg-writer.ts';
import { readMovPictures } from './read-mov-pictures.ts';
import { readAhead } from './read-ahead.ts';
import { evenSize } from './even-size.ts';
import { coloursOf, yuvSizeBytes } from './yuv-picture.ts';

/** The number of pictures that are decoded in advance. */
const AHEAD = 2;
const BT709 = 1;
/** Expresses times in microseconds, because FFmpeg would otherwise round them to the frame rate. */
const TICKS: readonly string[] = ['-enc_time_base', '1:1000000', '-video_track_timescale', '1000000'];

/**
 * Runs a system FFmpeg 5 or newer as child processes. It supports all formats that FFmpeg reads, including
 * AVI.
 */
export class FfmpegCodec implements Codec {
  readonly #ffmpeg: string;

  private constructor(ffmpeg: string) {
    this.#ffmpeg = ffmpeg;
  }

  /**
   * Checks that FFmpeg works. `ffmpeg` is its path or its name; `ffprobe` must be in the same folder. Throws
   * if it cannot be run.
   */
  static async load(ffmpeg: string): Promise<FfmpegCodec> {
    try {
      const encoders = await outputOf(ffmpeg, ['-v', 'error', '-encoders']);
      if (!encoders.includes('libx264')) throw new Error('it comes without x264');
    } catch (cause) {
      throw new Error(`Cannot use FFmpeg at ${JSON.stringify(ffmpeg)}`, { cause });
    }
    return new FfmpegCodec(ffmpeg);
  }

  async probe(path: string): Promise<ClipInfo> {
    const { durationSeconds, video, audio } = await probeWithFfprobe(this.#ffmpeg, path);
    return { durationSeconds, video, audio };
  }

  async *readVideo(path: string, options: ReadVideoOptions = {}): AsyncGenerator<VideoFrame> {
    yield* readAhead(this.#decode(path, options), AHEAD);
  }

  async *readAudio(path: string, sampleRateHz: number): AsyncGenerator<Float32Array> {
    const { audio } = await probeWithFfprobe(this.#ffmpeg, path);
    if (!audio) throw new RenderError('unsupported_format', 'Cannot decode the clip: it has no sound');
    // All channels have the same weight, because FFmpeg's own downmix makes stereo louder.
    const share = 1 / Math.max(1, audio.channels);
    const shares = Array.from({ length: audio.channels }, (_unused, n) => `${share}*c${n}`).join('+');
    const filters = `pan=mono|c0=${shares},aresample=${sampleRateHz}:async=1:first_pts=0`;
    const output = ['-map', '0:a:0', '-af', filters];
    const args = ['-v', 'fatal', '-nostdin', ...inputArgs(path), ...output, '-f', 'f32le', 'pipe:1'];
    await using program = new ChildProgram(this.#ffmpeg, args);
    let rest = new Uint8Array(0);
    let isEmpty = true;
    for await (const chunk of program.output as AsyncIterable<Uint8Array>) {
      const bytes = Buffer.concat([rest, chunk]);
      const whole = bytes.length - (bytes.length % 4);
      rest = Uint8Array.from(bytes.subarray(whole));
      if (whole === 0) continue;
      isEmpty = false;
      yield new Float32Array(Uint8Array.from(bytes.subarray(0, whole)).buffer);
    }
    if (isEmpty) throw undecodable('sound', program);
  }

  async writeVideo(options: WriteVideoOptions): Promise<VideoWriter> {
    const { sound } = options;
    const soundCodec = sound.from === 'clip' ? await this.#soundCodec(sound.path) : undefined;
    return new FfmpegWriter(this.#ffmpeg, options, soundCodec);
  }

  async #soundCodec(path: string): Promise<string | undefined> {
    return (await probeWithFfprobe(this.#ffmpeg, path)).audioCodec;
  }

  async *#decode(path: string, { shorterSide }: ReadVideoOptions): AsyncGenerator<VideoFrame> {
    const { video, colours: declared, isRgb } = await probeWithFfprobe(this.#ffmpeg, path);
    if (!video) throw new RenderError('unsupported_format', 'Cannot decode the clip: it has no pictures');
    const { width, height } = evenSize(video.width, video.height, shorterSide);
    const colours = coloursOf(isRgb ? { ...declared, matrix: BT709 } : declared, height);
    const scale = `scale=${width}:${height}:flags=bicubic:out_range=tv${isRgb ? ':out_color_matrix=bt709' : ''}`;
    const filters = ['-vf', `${scale},format=yuv420p,setsar=1`, '-vsync', 'passthrough', ...TICKS];
    const shape = ['-f', 'mov', '-movflags', 'frag_every_frame+empty_moov+default_base_moof+frag_discont'];
    const limits = ['-v', 'fatal', '-nostdin', '-max_pixels', String(CLIP_PIXELS_MAX)];
    const args = [...limits, ...inputArgs(path), '-map', '0:V:0', ...filters, '-c:v', 'rawvideo', ...shape];
    await using program = new ChildProgram(this.#ffmpeg, [...args, 'pipe:1']);
    const buffers = Array.from({ length: AHEAD + 2 }, () => new Uint8Array(yuvSizeBytes(width, height)));
    const canvas = sharedCanvas(width, height);
    let count = 0;
    const nextBuffer = (): Uint8Array => buffers[count % buffers.length] ?? new Uint8Array(0);
    for await (const { data, timestamp, duration } of readMovPictures(program.output, nextBuffer)) {
      count++;
      yield new DecodedFrame({ width, height, data, colours }, { timestamp, duration }, canvas);
    }
    if (count === 0) {
      await program.end();
      throw undecodable('pictures', program);
    }
  }
}

function undecodable(part: string, { errorOutput }: ChildProgram): RenderError {
  const cause = errorOutput === '' ? undefined : new Error(errorOutput);
  return new RenderError('unsupported_format', `Cannot decode the ${part} of the clip`, { cause });
}
