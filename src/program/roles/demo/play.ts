import type { Checks } from './checks.ts';
import type { Stage } from './stage.ts';
import type { Transcript } from './transcript.ts';

/** The objects that every scene uses. */
export interface Play {
  readonly stage: Stage;
  readonly transcript: Transcript;
  readonly checks: Checks;
  /** The folder in which results are saved. */
  readonly outDir: string;
}
