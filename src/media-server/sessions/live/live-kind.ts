import { z } from 'zod';
import { parseUsd } from '../../../base/money.ts';
import type { LiveStreamOptions, LiveSwapEngine } from '../../engine/live-swap-engine.ts';
import { RenderError } from '../../engine/render-error.ts';
import type { MediaFiles } from '../../files/media-files.ts';
import type { CheckContent } from '../../jobs/content-check.ts';
import type { Database } from '../../store/database.ts';
import { findUpload } from '../../store/uploads.ts';
import { invalidInput } from '../../wire/api-error.ts';
import { countCharacters } from '../../wire/count-characters.ts';
import { parseInput } from '../../wire/parse-input.ts';
import { LivePlace } from './live-place.ts';
import { type PromptedFace, readLivePrompt, resolvedPrompt } from './live-prompt.ts';
import type { PlacesInUse, SessionKind } from '../session-kind.ts';

/**
 * Returns the length in seconds that a live session gets if the client requests `seconds`: 1 to `seconds`.
 */
export type GrantLive = (seconds: number, use: PlacesInUse) => number;

interface LiveKindOptions {
  readonly db: Database;
  readonly files: MediaFiles;
  readonly checkContent: CheckContent;
  readonly engine: LiveSwapEngine | undefined;
  readonly ceiling: number;
  readonly grant: GrantLive;
}

const MINUTES_MAX = 240;
const PROMPT_CHARACTERS_MAX = 2_000;
const TIGHT_SHARE = 0.75;
const TIGHT_SECONDS_MAX = 900;

/** Once three quarters of the places are taken, further sessions get at most a quarter of an hour. */
export const grantLessWhenTight: GrantLive = (seconds, { open, ceiling }) =>
  open >= ceiling * TIGHT_SHARE ? Math.min(seconds, TIGHT_SECONDS_MAX) : seconds;

const liveBody = z.object({
  duration_minutes: z.int().min(1).max(MINUTES_MAX),
  prompt: z
    .string()
    .refine((text) => countCharacters(text) <= PROMPT_CHARACTERS_MAX, 'Must have at most 2,000 characters')
    .transform((text) => (text.trim() === '' ? undefined : text))
    .optional(),
});

/** Live Swap Pro: replaces the face in camera pictures with one that the prompt selects. */
export function liveKind(options: LiveKindOptions): SessionKind {
  const { engine } = options;
  return {
    feature: 'live_swap_pro',
    initialRate: { rate: parseUsd('0.30'), minimum: parseUsd('0'), hold: parseUsd('0') },
    ceiling: { setting: 'liveSessionsMax', initial: options.ceiling },
    offered: engine !== undefined,
    grant: options.grant,
    parse(json, accountId) {
      const { duration_minutes: minutes, prompt } = parseInput(liveBody, json);
      const prompted = readLivePrompt(prompt ?? '', engine?.faces ?? []);
      const face = prompted && faceToWear(options, prompted, accountId);
      return {
        seconds: minutes * 60,
        answer: { prompt: prompted ? resolvedPrompt(prompt, prompted) : prompt },
        async takePlace(signal) {
          if (!engine || !face) throw new TypeError('Cannot open a live session: there is no engine');
          return await takeLivePlace(options, engine, face, signal);
        },
      };
    },
  };
}

function faceToWear(
  { db, files }: LiveKindOptions,
  prompted: PromptedFace,
  accountId: string,
): LiveStreamOptions['face'] {
  if ('face' in prompted) return { id: prompted.face.id };
  const upload = findUpload(db, prompted.fileKey.slice('api/'.length));
  if (upload?.accountId !== accountId) throw invalidInput('prompt: no such upload');
  if (upload.kind !== 'image') throw invalidInput(`prompt: must be image, not ${upload.kind}`);
  return { path: files.upload(upload.id) };
}

async function takeLivePlace(
  { checkContent }: LiveKindOptions,
  engine: LiveSwapEngine,
  face: LiveStreamOptions['face'],
  signal: AbortSignal,
): Promise<LivePlace> {
  if ('path' in face && (await checkContent(face.path, signal)) === 'rejected') {
    throw invalidInput('prompt: the picture did not pass the content check');
  }
  try {
    return new LivePlace(await engine.open({ face }));
  } catch (error) {
    if (error instanceof RenderError && 'path' in face) throw invalidInput(`prompt: ${pictureFault(error)}`);
    throw error;
  }
}

function pictureFault({ code }: RenderError): string {
  return code === 'face_not_detected' ? 'no face was found in the picture' : 'the picture cannot be used';
}
