import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Pixels } from '../pixels.ts';
import { ChildProgram } from './child-program.ts';
import type { VideoWriter, WriteVideoOptions } from './codec.ts';
import { inputArgs } from './probe-with-ffprobe.ts';
import { mkvHeader, mkvPictureHeader } from './mkv-pictures.ts';
import { rgbaToYuv } from './yuv-convert.ts';
import { HD_COLOURS, type YuvPicture, yuvSizeBytes } from './yuv-picture.ts';

/** These are the same values as in `VideoEncoder`. */
const PRESET = 'veryfast';
const QUALITY = '20';
const BITS_PER_PIXEL_MAX = 0.2;
const KEY_FRAME_SECONDS = 2;
const SOUND_BITRATE = '160k';
const SOUND_PIECE_SAMPLES = 16_384;
const COPIED: readonly string[] = ['aac', 'mp3', 'opus', 'flac', 'ac3', 'eac3'];
const FRAME_RATE_MAX = 240;

/** Writes an MP4 with a system FFmpeg, which receives the pictures through a pipe. */
export class FfmpegWriter implements VideoWriter {
  readonly #ffmpeg: string;
  readonly #options: WriteVideoOptions;
  readonly #soundCodec: string | undefined;
  #program: ChildProgram | undefined;
  #feeding: Promise<void> = Promise.resolve();
  #converted: YuvPicture | undefined;
  #end = 0;
  #ended = false;

  /**
   * `soundCodec` is the codec of the clip that the sound comes from, or undefined if that clip has no sound.
   */
  constructor(ffmpeg: string, options: WriteVideoOptions, soundCodec: string | undefined) {
    this.#ffmpeg = ffmpeg;
    this.#options = options;
    this.#soundCodec = soundCodec;
  }

  async add(picture: Pixels | YuvPicture, timestamp: number, duration: number): Promise<void> {
    const planes = 'colours' in picture ? picture : this.#convert(picture);
    const program = (this.#program ??= await this.#start(planes));
    // The pipe buffers data that it cannot write at once, and the caller may modify the picture meanwhile, so
    // it is copied.
    const data = Uint8Array.from(planes.data);
    const header = mkvPictureHeader(data.length, timestamp, duration);
    if (!(await program.write(header)) || !(await program.write(data))) throw await this.#failure(program);
    this.#end = Math.max(this.#end, timestamp + duration);
  }

  async finish(): Promise<number> {
    const program = this.#program;
    if (!program) throw new TypeError('Cannot finish a clip without pictures');
    program.input.end();
    if (!(await program.end())) throw await this.#failure(program);
    await this.#feeding;
    this.#ended = true;
    return this.#end;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    await this.#program?.[Symbol.asyncDispose]();
    await this.#feeding;
    await rm(this.#options.path, { force: true });
  }

  async #start({ width, height, colours }: YuvPicture): Promise<ChildProgram> {
    const { sound, path } = this.#options;
    if (width !== this.#options.width || height !== this.#options.height)
      throw new TypeError('Cannot encode a picture of another size');
    const samples = sound.from === 'samples' ? sound : undefined;
    const args = [
      ...'-v error -nostdin -y -f matroska -i pipe:0'.split(' '),
      ...this.#soundInput(),
      ...this.#pictureArgs(colours.codes),
      ...'-map_metadata -1 -strict -2 -movflags +faststart -f mp4'.split(' '),
      `file:${path}`,
    ];
    const program = new ChildProgram(this.#ffmpeg, args, { extraInput: samples !== undefined });
    if (samples) this.#feeding = feed(program, samples.samples);
    await program.write(mkvHeader(width, height));
    return program;
  }

  #soundInput(): string[] {
    const { sound } = this.#options;
    if (sound.from === 'samples') {
      const input = ['-f', 'f32le', '-ar', String(sound.sampleRateHz), '-ac', '1', '-i', 'pipe:3'];
      return [...input, '-map', '0:v:0', '-map', '1:a:0', '-c:a', 'aac', '-b:a', SOUND_BITRATE];
    }
    if (sound.from === 'nowhere' || !this.#soundCodec) return ['-map', '0:v:0'];
    const codec = COPIED.includes(this.#soundCodec) ? ['copy'] : ['aac', '-b:a', SOUND_BITRATE];
    return [...inputArgs(sound.path), '-map', '0:v:0', '-map', '1:a:0', '-c:a', ...codec];
  }

  #pictureArgs(codes: YuvPicture['colours']['codes']): string[] {
    const { width, height } = this.#options;
    const frameRate = Math.min(FRAME_RATE_MAX, this.#options.frameRate || 1);
    const bitsMax = Math.round(width * height * frameRate * BITS_PER_PIXEL_MAX);
    const usualTicks = Math.round(1e6 / frameRate);
    // In versions before FFmpeg 6, the encoder drops the pictures' durations, so the last picture would have none.
    const duration = `setts=pts=PTS:dts=DTS:duration=if(gt(DURATION\\,0)\\,DURATION\\,${usualTicks})`;
    const keyFrames = Math.max(1, Math.round(frameRate * KEY_FRAME_SECONDS));
    const { matrix, primaries, transfer } = codes;
    return [
      `-c:v libx264 -preset ${PRESET} -crf ${QUALITY} -pix_fmt yuv420p -bsf:v ${duration}`,
      `-maxrate ${bitsMax} -bufsize ${2 * bitsMax} -g ${keyFrames}`,
      `-color_range tv -colorspace ${matrix} -color_primaries ${primaries} -color_trc ${transfer}`,
      `-vsync passthrough -enc_time_base 1:1000000 -video_track_timescale 1000000`,
    ].flatMap((part) => part.split(' '));
  }

  #convert(picture: Pixels): YuvPicture {
    const { width, height } = picture;
    const data = this.#converted?.data ?? new Uint8Array(yuvSizeBytes(width, height));
    this.#converted ??= { width, height, data, colours: HD_COLOURS };
    rgbaToYuv(picture, { x: 0, y: 0, width, height }, this.#converted);
    return this.#converted;
  }

  async #failure(program: ChildProgram): Promise<Error> {
    await program.end();
    return new Error(`Cannot encode the clip: FFmpeg says ${JSON.stringify(program.errorOutput)}`);
  }
}

/** Writes the samples to `program` as fast as it reads them. If it ends early, its exit code reports the error. */
async function feed(program: ChildProgram, samples: Float32Array): Promise<void> {
  const pieces = function* (): Generator<Uint8Array> {
    for (let at = 0; at < samples.length; at += SOUND_PIECE_SAMPLES) {
      const { buffer, byteOffset, byteLength } = samples.subarray(at, at + SOUND_PIECE_SAMPLES);
      yield new Uint8Array(buffer, byteOffset, byteLength);
    }
  };
  try {
    await pipeline(Readable.from(pieces()), program.extraInput);
  } catch {
    // The exit code of a program that ended early reports the error.
  }
}
