import { z } from 'zod';
import { parseUsd } from '../../../base/money.ts';
import type { VoiceSwapEngine } from '../../engine/voice-swap-engine.ts';
import { parseInput } from '../../wire/parse-input.ts';
import type { SessionKind } from '../session-kind.ts';
import { type VoiceFormat, VoicePlace } from './voice-place.ts';

interface VoiceKindOptions {
  readonly engine: VoiceSwapEngine | undefined;
  readonly ceiling: number;
  /** Returns the audio format of a new session. It is called once for each session. */
  readonly format: () => VoiceFormat;
}

const MINUTES_MAX = 120;
const MINUTES_DEFAULT = 10;

/** Voice Swap: speech in another voice, or unchanged without a profile. */
export function voiceKind({ engine, ceiling, format }: VoiceKindOptions): SessionKind {
  const body = z.object({
    duration_minutes: z.int().min(1).max(MINUTES_MAX).default(MINUTES_DEFAULT),
    voice_profile_id: z
      .string()
      .refine((id) => engine?.voices.some((voice) => voice.id === id), 'Must be an id from GET /v1/voices')
      .optional(),
  });
  return {
    feature: 'voice_swap',
    initialRate: { rate: parseUsd('0.06'), minimum: parseUsd('0'), hold: parseUsd('0') },
    ceiling: { setting: 'voiceSessionsMax', initial: ceiling },
    offered: engine !== undefined,
    grant: (seconds) => seconds,
    parse(json) {
      const { duration_minutes: minutes, voice_profile_id: voiceId } = parseInput(body, json);
      return {
        seconds: minutes * 60,
        answer: {},
        async takePlace() {
          const streamFormat = format();
          const stream = voiceId === undefined ? undefined : await engine?.open({ voiceId, ...streamFormat });
          return new VoicePlace(streamFormat, stream);
        },
      };
    },
  };
}
