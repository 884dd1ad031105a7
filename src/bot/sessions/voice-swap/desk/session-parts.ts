import type { Clock } from '../../../../base/clock.ts';
import type { Logger } from '../../../../base/log.ts';
import type { BudgetView } from '../../../money/caps/budget.ts';
import type { ConsentBook } from '../../consent-book.ts';
import type { VoiceConsentText } from './consent-text.ts';
import type { ShowStatus } from './disclosure.ts';
import type { PanelNotes } from './panel-keeper.ts';
import type { SessionPlaces } from './session-places.ts';
import type { VoiceLimits } from './voice-limits.ts';
import type { VoiceLines } from '../../voice-lines.ts';
import type { VoiceCatalog } from '../../../jobs/voice-catalog.ts';
import type { VoicePanels } from './voice-panels.ts';
import type { VoiceSound } from './voice-sound.ts';

/** What all sessions are made with. */
export interface SessionParts {
  readonly lines: VoiceLines;
  readonly panels: VoicePanels;
  readonly showStatus: ShowStatus;
  readonly consents: ConsentBook<VoiceConsentText>;
  readonly voices: Pick<VoiceCatalog, 'list'>;
  /** Opus packets of 20 ms each. */
  readonly notice: readonly Uint8Array[];
  readonly budget: (guildId: string) => Promise<BudgetView>;
  /** Whether the guild lets sessions go on by themselves. */
  readonly mayRenew: (guildId: string) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: VoiceLimits;
}

export interface SessionOptions extends SessionParts {
  readonly sessionId: string;
  readonly starterId: string;
  /** Joined; the session leaves them. */
  readonly places: SessionPlaces;
  readonly sound: VoiceSound;
  readonly notes: PanelNotes;
  readonly minutes: number;
  /** What those get who name no voice; null: the starter chose none. */
  readonly usualVoiceId: string | null;
  /** Called once, when everything of it is closed and shown. */
  readonly onEnded: () => void;
}
