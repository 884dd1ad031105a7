import type { Clock } from '../../../../base/clock.ts';
import type { Logger } from '../../../../base/log.ts';
import type { BudgetView } from '../../../money/caps/budget.ts';
import type { ConsentBook } from '../../consent-book.ts';
import type { VoiceConsentText } from './voice-consent-text.ts';
import type { ShowStatus } from './disclosure.ts';
import type { PanelNotes } from './panel-keeper.ts';
import type { SessionPlaces } from './session-places.ts';
import type { VoiceLimits } from './voice-limits.ts';
import type { VoiceLines } from '../../voice-lines.ts';
import type { VoiceCatalog } from '../../../jobs/voice-catalog.ts';
import type { VoicePanels } from './voice-panels.ts';
import type { VoiceSound } from './voice-sound.ts';

/** The components that all sessions share. */
export interface SessionParts {
  readonly lines: VoiceLines;
  readonly panels: VoicePanels;
  readonly showStatus: ShowStatus;
  readonly consents: ConsentBook<VoiceConsentText>;
  readonly voices: Pick<VoiceCatalog, 'list'>;
  /** The spoken notice: Opus packets of 20 ms each. */
  readonly notice: readonly Uint8Array[];
  readonly budget: (guildId: string) => Promise<BudgetView>;
  /** Returns whether the guild allows sessions to be extended. */
  readonly mayRenew: (guildId: string) => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: VoiceLimits;
}

export interface SessionOptions extends SessionParts {
  readonly sessionId: string;
  readonly starterId: string;
  /** The joined channels. The session leaves them when it ends. */
  readonly places: SessionPlaces;
  readonly sound: VoiceSound;
  readonly notes: PanelNotes;
  readonly minutes: number;
  /** The voice for members who choose none; null if the member who started the session left their voice unchanged. */
  readonly usualVoiceId: string | null;
  /** Called once, when everything is closed and the end is shown. */
  readonly onEnded: () => void;
}
