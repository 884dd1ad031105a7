import type { Checks } from './checks.ts';
import type { Stage } from './stage.ts';
import type { Transcript } from './transcript.ts';

/** What every scene plays with. */
export interface Play {
  readonly stage: Stage;
  readonly transcript: Transcript;
  readonly checks: Checks;
  /** Where results are kept. */
  readonly outDir: string;
}
