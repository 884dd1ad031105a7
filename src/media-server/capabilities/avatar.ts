import { z } from 'zod';
import { parseUsd } from '../../base/money.ts';
import type { AvatarEngine } from '../engine/avatar-engine.ts';
import type { ResolutionP } from '../engine/rendered.ts';
import type { Voice } from '../engine/voice-swap-engine.ts';
import { countCharacters } from '../wire/count-characters.ts';
import type { JobCapability } from './capability.ts';
import { outputResolution } from './output-resolution.ts';

const SCRIPT_CHARACTERS_MAX = 5_000;

interface AvatarParameters {
  readonly script: string;
  readonly voice_id?: string | undefined;
  readonly language?: string | undefined;
  readonly output_resolution_p?: ResolutionP | undefined;
}

/** Avatar: billed per second of the produced clip. It speaks with the voices that `GET /v1/voices` lists. */
export function avatar(
  engine: AvatarEngine | undefined,
  voices: readonly Voice[],
): JobCapability<AvatarParameters> {
  return {
    feature: 'avatar',
    unit: 'second',
    initialRate: { rate: parseUsd('0.03'), minimum: parseUsd('0.05'), hold: parseUsd('0.60') },
    inputs: { image_key: 'image' },
    parameters: z.object({
      script: z
        .string({ error: 'Must be the text to speak' })
        .refine((text) => text.trim() !== '', 'Must be the text to speak')
        .refine(
          (text) => countCharacters(text) <= SCRIPT_CHARACTERS_MAX,
          'Must have at most 5,000 characters',
        ),
      voice_id: z
        .string()
        .refine((id) => voices.some((voice) => voice.id === id), 'Must be an id from GET /v1/voices')
        .optional(),
      language: z
        .string()
        .refine((tag) => speaks(engine, tag), `Must be one of: ${(engine?.languages ?? []).join(', ')}`)
        .optional(),
      output_resolution_p: outputResolution,
    }),
    render:
      engine &&
      (async ({ input, parameters, outputPath }, signal) => {
        const { script, voice_id: voiceId, language, output_resolution_p: resolutionP } = parameters;
        const { mime, durationSeconds } = await engine.speak(
          {
            imagePath: input('image_key'),
            script,
            voiceId,
            language: language && primarySubtag(language),
            resolutionP,
            outputPath,
          },
          signal,
        );
        return { mime, units: durationSeconds };
      }),
  };
}

function speaks(engine: AvatarEngine | undefined, tag: string): boolean {
  return engine?.languages.includes(primarySubtag(tag)) ?? true;
}

/** Returns the language without its region: `en` for `en-US` and `EN_gb`. */
function primarySubtag(tag: string): string {
  return tag.split(/[-_]/, 1)[0]?.toLowerCase() ?? '';
}
