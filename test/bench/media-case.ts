/**
 * Runs one case of the media benchmark in a separate process, so that its peak memory can be measured. Prints
 * one line of JSON.
 */
import { MediabunnyCodec } from '../../src/media-server/engine/codec/mediabunny-codec.ts';
import { createCpuEngines } from '../../src/media-server/engine/cpu/cpu-engines.ts';
import { measureProcessTree } from './process-tree.ts';

/** The input of a case; all its paths are file paths. */
export interface MediaCaseInput {
  readonly kind:
    | 'avatar'
    | 'codec'
    | 'identity_swap_1k'
    | 'identity_swap_2k'
    | 'lip_sync'
    | 'motion_transfer'
    | 'video_swap';
  readonly videoPath: string;
  readonly facePath: string;
  /** The recording for a lip sync. */
  readonly audioPath?: string;
  readonly outputPath: string;
}

/** A case's figures, without its warm-up. */
export interface MediaCaseFigures {
  readonly elapsedMs: number;
  /** The processor time of all processes. */
  readonly processorMs: number;
  readonly residentMegabytesMax: number;
}

/** The text for about six seconds of speech. */
const SCRIPT = 'Good morning. The weather is fine, the coffee is warm, and we have plenty of time to talk.';

const KINDS: Readonly<Record<MediaCaseInput['kind'], (input: MediaCaseInput) => Promise<MediaCaseFigures>>> =
  {
    avatar: async ({ facePath, outputPath }) => {
      await using engines = await createCpuEngines({ workers: 1 });
      return await measured(async () => {
        await engines.avatar?.speak(
          { imagePath: facePath, script: SCRIPT, outputPath },
          new AbortController().signal,
        );
      });
    },
    motion_transfer: async ({ videoPath, facePath, outputPath }) => {
      await using engines = await createCpuEngines({ workers: 1 });
      return await measured(async () => {
        await engines.motionTransfer?.transferMotion(
          { imagePath: facePath, motionPath: videoPath, outputPath },
          new AbortController().signal,
        );
      });
    },
    identity_swap_1k: async (input) => await identitySwap(input, '1k'),
    identity_swap_2k: async (input) => await identitySwap(input, '2k'),
    lip_sync: async ({ videoPath, audioPath, outputPath }) => {
      if (audioPath === undefined) throw new TypeError('Cannot measure without a recording');
      await using engines = await createCpuEngines({ workers: 1 });
      return await measured(async () => {
        await engines.lipSync?.syncLips({ videoPath, audioPath, outputPath }, new AbortController().signal);
      });
    },
    codec: async ({ videoPath, outputPath }) => {
      const codec = await MediabunnyCodec.load();
      return await measured(async () => {
        const { video } = await codec.probe(videoPath);
        if (!video) throw new TypeError('Cannot measure without pictures');
        await using writer = await codec.writeVideo({
          path: outputPath,
          ...video,
          sound: { from: 'clip', path: videoPath },
        });
        for await (const { planes, timestamp, duration } of codec.readVideo(videoPath)) {
          await writer.add(planes, timestamp, duration);
        }
        await writer.finish();
      });
    },
    video_swap: async ({ videoPath, facePath, outputPath }) => {
      await using engines = await createCpuEngines({ workers: 1 });
      return await measured(async () => {
        await engines.videoSwap?.swapVideo({ videoPath, facePath, outputPath }, new AbortController().signal);
      });
    },
  };

async function identitySwap(
  { videoPath, facePath, outputPath }: MediaCaseInput,
  resolution: '1k' | '2k',
): Promise<MediaCaseFigures> {
  await using engines = await createCpuEngines({ workers: 1 });
  return await measured(async () => {
    await engines.identitySwap?.swapIdentity(
      { videoPath, characterPath: facePath, resolution, outputPath },
      new AbortController().signal,
    );
  });
}

/** Measures a second run, after a first one has warmed up compilers and caches. */
async function measured(run: () => Promise<void>): Promise<MediaCaseFigures> {
  await run();
  const [startedAt, before] = [performance.now(), measureProcessTree()];
  await run();
  const elapsedMs = performance.now() - startedAt;
  const { processorMs, residentMegabytesMax } = measureProcessTree();
  return { elapsedMs, processorMs: processorMs - before.processorMs, residentMegabytesMax };
}

const input = JSON.parse(process.argv[2] ?? '') as MediaCaseInput;
process.stdout.write(`${JSON.stringify(await KINDS[input.kind](input))}\n`);
