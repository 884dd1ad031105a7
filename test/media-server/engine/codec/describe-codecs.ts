import { beforeAll, describe } from 'vitest';
import type { Codec } from '../../../../src/media-server/engine/codec/codec.ts';
import { FfmpegCodec } from '../../../../src/media-server/engine/codec/ffmpeg-codec.ts';
import { MediabunnyCodec } from '../../../../src/media-server/engine/codec/mediabunny-codec.ts';

const systemFfmpeg = await FfmpegCodec.load('ffmpeg').catch(() => undefined);

/** Calls `tests` once for each codec, with a function that returns the codec. */
export function describeCodecs(tests: (codec: () => Codec) => void): void {
  describe('clips through mediabunny and node-av', () => {
    testsOf(() => MediabunnyCodec.load(), tests);
  });

  // Skipped if no system FFmpeg is installed.
  describe.skipIf(!systemFfmpeg)('clips through a system FFmpeg', () => {
    testsOf(() => Promise.resolve(systemFfmpeg), tests);
  });
}

function testsOf(load: () => Promise<Codec | undefined>, tests: (codec: () => Codec) => void): void {
  let codec: Codec | undefined;
  beforeAll(async () => {
    codec = await load();
  });
  tests(() => {
    if (!codec) throw new Error('There is no codec');
    return codec;
  });
}
