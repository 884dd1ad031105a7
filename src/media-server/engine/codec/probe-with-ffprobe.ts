import { dirname, join } from 'node:path';
import { z } from 'zod';
import { systemErrorCode } from '../../../base/errors.ts';
import { RenderError } from '../render-error.ts';
import { outputOf } from './child-program.ts';
import type { ClipInfo } from './codec.ts';

/** The header of a clip, with details that `ClipInfo` does not have. */
interface FfmpegProbe extends ClipInfo {
  readonly audioCodec: string | undefined;
  readonly colours: { readonly matrix: number; readonly primaries: number; readonly transfer: number };
  readonly isRgb: boolean;
}

/**
 * Returns the arguments that limit FFmpeg to this file. Playlists and other formats that refer to further
 * files are excluded.
 */
export function inputArgs(path: string): string[] {
  const formats = 'mov,matroska,avi,mpegts,mpeg,flv,asf,wav,mp3,aac,ogg,flac';
  return ['-protocol_whitelist', 'file,pipe', '-format_whitelist', formats, '-i', `file:${path}`];
}

/** Reads the header with the `ffprobe` in the folder of `ffmpeg`. Throws `RenderError` `unsupported_format`. */
export async function probeWithFfprobe(ffmpeg: string, path: string): Promise<FfmpegProbe> {
  const entries =
    'format=duration:stream=codec_type,codec_name,width,height,sample_aspect_ratio,avg_frame_rate,r_frame_rate,' +
    'sample_rate,channels,color_space,color_primaries,color_transfer,pix_fmt,nb_frames:stream_disposition=attached_pic:stream_side_data=rotation';
  const args = ['-v', 'fatal', '-of', 'json', '-show_entries', entries, ...inputArgs(path)];
  let text: string;
  try {
    text = await outputOf(ffprobePath(ffmpeg), args);
  } catch (error) {
    if (typeof systemErrorCode(error) === 'string') throw error;
    throw new RenderError('unsupported_format', 'Cannot decode the clip', { cause: error });
  }
  return describe(probeSchema.parse(JSON.parse(text)));
}

function ffprobePath(ffmpeg: string): string {
  return ffmpeg.includes('/') ? join(dirname(ffmpeg), 'ffprobe') : 'ffprobe';
}

const probeSchema = z.object({
  format: z.object({ duration: z.coerce.number().optional() }).default({}),
  streams: z
    .array(
      z.object({
        codec_type: z.string().optional(),
        codec_name: z.string().optional(),
        width: z.number().optional(),
        height: z.number().optional(),
        sample_aspect_ratio: z.string().optional(),
        avg_frame_rate: z.string().optional(),
        sample_rate: z.coerce.number().optional(),
        channels: z.number().optional(),
        color_space: z.string().optional(),
        color_primaries: z.string().optional(),
        color_transfer: z.string().optional(),
        pix_fmt: z.string().optional(),
        disposition: z.object({ attached_pic: z.number().optional() }).optional(),
        side_data_list: z.array(z.object({ rotation: z.number().optional() })).optional(),
      }),
    )
    .default([]),
});

type ProbedStream = z.infer<typeof probeSchema>['streams'][number];

function describe({ format, streams }: z.infer<typeof probeSchema>): FfmpegProbe {
  const video = streams.find((stream) => stream.codec_type === 'video' && !stream.disposition?.attached_pic);
  const audio = streams.find((stream) => stream.codec_type === 'audio');
  if (!video && !audio) throw new RenderError('unsupported_format', 'Cannot decode the clip');
  return {
    durationSeconds: format.duration ?? 0,
    video: video && { ...shownSize(video), frameRate: ratio(video.avg_frame_rate) ?? 0 },
    audio: audio && { sampleRateHz: audio.sample_rate ?? 0, channels: audio.channels ?? 0 },
    audioCodec: audio?.codec_name,
    colours: {
      matrix: MATRIX_CODES[video?.color_space ?? ''] ?? 2,
      primaries: PRIMARIES_CODES[video?.color_primaries ?? ''] ?? 2,
      transfer: TRANSFER_CODES[video?.color_transfer ?? ''] ?? 2,
    },
    isRgb: /^(rgb|bgr|gbr|argb|abgr|pal8|0rgb|0bgr)/.test(video?.pix_fmt ?? ''),
  };
}

/** FFmpeg's names for H.273 code points. */
const MATRIX_CODES: Readonly<Record<string, number>> = {
  bt709: 1,
  fcc: 4,
  bt470bg: 5,
  smpte170m: 6,
  smpte240m: 7,
  bt2020nc: 9,
  bt2020c: 10,
};
const PRIMARIES_CODES: Readonly<Record<string, number>> = {
  bt709: 1,
  bt470m: 4,
  bt470bg: 5,
  smpte170m: 6,
  smpte240m: 7,
  film: 8,
  bt2020: 9,
  smpte431: 11,
  smpte432: 12,
};
const TRANSFER_CODES: Readonly<Record<string, number>> = {
  bt709: 1,
  gamma22: 4,
  gamma28: 5,
  smpte170m: 6,
  smpte240m: 7,
  linear: 8,
  'iec61966-2-1': 13,
  'bt2020-10': 14,
  'bt2020-12': 15,
  smpte2084: 16,
  'arib-std-b67': 18,
};

function shownSize(video: ProbedStream): { width: number; height: number } {
  const shape = ratio(video.sample_aspect_ratio?.replace(':', '/')) ?? 1;
  const width = (video.width ?? 0) * Math.max(1, shape);
  const height = (video.height ?? 0) / Math.min(1, shape);
  const rotation = video.side_data_list?.find((data) => data.rotation !== undefined)?.rotation ?? 0;
  const isTurned = Math.abs(Math.round(rotation / 90)) % 2 === 1;
  const [across, down] = isTurned ? [height, width] : [width, height];
  return { width: Math.round(across), height: Math.round(down) };
}

function ratio(text: string | undefined): number | undefined {
  const [over = 0, under = 0] = (text ?? '').split('/').map(Number);
  return over > 0 && under > 0 ? over / under : undefined;
}
