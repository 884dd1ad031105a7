import { copyFile } from 'node:fs/promises';
import type { Engines } from '../../../src/media-server/engine/engines.ts';
import type { RenderedVideo } from '../../../src/media-server/engine/rendered.ts';
import { GreyFaces, ScalingVoices } from '../../media-server/sessions/stream-engines.ts';
import { TestEngine } from '../../media-server/test-engine.ts';

/** Returns small real engines for all eight capabilities; those that make clips copy an input. */
export function copyingEngines(clipPath: string): Engines {
  return {
    photoSwap: new TestEngine(),
    videoSwap: { swapVideo: ({ videoPath, outputPath }) => copyClip(videoPath, outputPath) },
    identitySwap: { swapIdentity: ({ videoPath, outputPath }) => copyClip(videoPath, outputPath) },
    motionTransfer: { transferMotion: ({ motionPath, outputPath }) => copyClip(motionPath, outputPath) },
    avatar: { languages: ['en'], speak: ({ outputPath }) => copyClip(clipPath, outputPath) },
    lipSync: { syncLips: ({ videoPath, outputPath }) => copyClip(videoPath, outputPath) },
    voiceSwap: new ScalingVoices(),
    liveSwap: new GreyFaces(),
  };
}

async function copyClip(from: string, to: string): Promise<RenderedVideo> {
  await copyFile(from, to);
  return { width: 512, height: 512, durationSeconds: 5.8, mime: 'video/mp4' };
}
