import type { Codec } from './codec.ts';

/**
 * Loads the codec of this machine: the system FFmpeg at `ffmpeg` if it is given, otherwise the optional
 * packages. Throws an error that names what is missing.
 */
export async function loadCodec(ffmpeg: string | undefined): Promise<Codec> {
  if (ffmpeg !== undefined) {
    const { FfmpegCodec } = await import('./ffmpeg-codec.ts');
    return await FfmpegCodec.load(ffmpeg);
  }
  const { MediabunnyCodec } = await import('./mediabunny-codec.ts');
  return await MediabunnyCodec.load();
}
