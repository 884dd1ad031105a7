import { z } from 'zod';
import { type Size, evenSize, loadPortrait } from '../animate/load-portrait.ts';
import { seedOf } from '../animate/smooth-noise.ts';
import type { AvatarRequest } from '../avatar-engine.ts';
import type { Renderer } from '../renderer.ts';
import type { Pixels } from '../pixels.ts';
import { RenderError } from '../render-error.ts';
import type { RenderedVideo, ResolutionP } from '../rendered.ts';
import { SPOKEN_LANGUAGES, Speaker } from '../speech/speaker.ts';
import { SpeakerMotion } from './speaker-motion.ts';

const FRAME_RATE = 30;
/** A picture whose shorter side has at most this many pixels keeps its own size. */
const OWN_SHORTER_SIDE_MAX = 720;
const LONGER_SIDE_MAX = 1920;

let speaker: Promise<Speaker> | undefined;

/** Animates the person in a picture to speak a script. */
export const avatarRenderer: Renderer<AvatarRequest, RenderedVideo> = {
  request: z.object({
    imagePath: z.string(),
    script: z.string(),
    voiceId: z.string().optional(),
    language: z.string().optional(),
    resolutionP: z.union([z.literal(480), z.literal(720), z.literal(1080)]).optional(),
    outputPath: z.string(),
  }),

  async render({ imagePath, script, voiceId, language, resolutionP, outputPath }, tools, signal, progress) {
    if (language !== undefined && !SPOKEN_LANGUAGES.includes(language))
      throw new RenderError('processing_failed', `Cannot speak "${language}": there is no voice for it`);
    const { rig, size } = await loadPortrait(imagePath, (own) => clipSize(own, resolutionP), tools);
    const codec = await tools.codec();
    const { samples, sampleRateHz, mouth } = await (
      await (speaker ??= Speaker.load())
    ).speak(script, { voiceId, progress }, signal);
    progress();
    const motion = new SpeakerMotion(mouth, seedOf(script));
    const durationSeconds = samples.length / sampleRateHz;
    const frames = Math.max(1, Math.round(durationSeconds * FRAME_RATE));
    const frame: Pixels = { ...size, data: new Uint8Array(size.width * size.height * 4) };
    const sound = { from: 'samples', samples, sampleRateHz } as const;
    await using writer = await codec.writeVideo({ path: outputPath, ...size, frameRate: FRAME_RATE, sound });
    for (let n = 0; n < frames; n++) {
      signal.throwIfAborted();
      rig.render(motion.at(n / FRAME_RATE), frame);
      await writer.add(frame, n / FRAME_RATE, 1 / FRAME_RATE);
      progress();
    }
    return { ...size, durationSeconds: await writer.finish(), mime: 'video/mp4' };
  },
};

function clipSize(own: Size, resolutionP: ResolutionP | undefined): Size {
  const [shorter, longer] = [Math.min(own.width, own.height), Math.max(own.width, own.height)];
  const wanted = resolutionP ?? Math.min(shorter, OWN_SHORTER_SIDE_MAX);
  return evenSize(own, Math.min(wanted / shorter, LONGER_SIDE_MAX / longer));
}
