import type { Engines } from '../engine/engines.ts';
import type { MediaFiles } from '../files/media-files.ts';
import { type CheckContent, acceptAllContent } from '../jobs/content-check.ts';
import type { Database } from '../store/database.ts';
import { type GrantLive, grantLessWhenTight, liveKind } from './live/live-kind.ts';
import type { SessionKind } from './session-kind.ts';
import { voiceKind } from './voice/voice-kind.ts';
import type { VoiceFormat } from './voice/voice-place.ts';

interface AllKindsOptions {
  readonly db: Database;
  readonly files: MediaFiles;
  readonly engines: Engines;
  readonly checkContent?: CheckContent | undefined;
  readonly liveSessionsMax: number;
  readonly voiceSessionsMax: number;
  readonly grantLive?: GrantLive | undefined;
  readonly voiceFormat?: (() => VoiceFormat) | undefined;
}

const USUAL_FORMAT: VoiceFormat = { sampleRateHz: 48_000, chunkFrames: 960 };

/** Returns the two session capabilities, including those without an engine. */
export function allSessionKinds(options: AllKindsOptions): readonly SessionKind[] {
  const { db, files, engines } = options;
  return [
    liveKind({
      db,
      files,
      checkContent: options.checkContent ?? acceptAllContent,
      engine: engines.liveSwap,
      ceiling: options.liveSessionsMax,
      grant: options.grantLive ?? grantLessWhenTight,
    }),
    voiceKind({
      engine: engines.voiceSwap,
      ceiling: options.voiceSessionsMax,
      format: options.voiceFormat ?? (() => USUAL_FORMAT),
    }),
  ];
}
