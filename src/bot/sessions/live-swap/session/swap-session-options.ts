import type { Clock } from '../../../../base/clock.ts';
import type { Logger } from '../../../../base/log.ts';
import type { ConsentBook } from '../../consent-book.ts';
import type { ChargeWaitOptions } from './charge-wait.ts';
import type { FrameTranslator } from '../live-frame-codec.ts';
import type { LiveConsentText } from '../live-consent-text.ts';
import type { LiveSwapEnd } from '../live-swap-end.ts';
import type { LiveSwapLimits } from '../live-swap-limits.ts';
import type { Open } from '../opening.ts';
import type { CallOrigin } from '../../../jobs/call-origin.ts';
import type { LiveSwapView } from '../live-swap-view.ts';

/** Whether a session may continue, or the reason why not. */
export type Verdict = 'fine' | Extract<LiveSwapEnd, 'not_allowed' | 'consent_gone' | 'face_gone'>;

/** The facts that decide whether a session may continue. */
export interface Watched {
  readonly id: string;
  readonly by: CallOrigin;
  /** The id of the saved face in use; null if the session uses no saved face. */
  readonly savedFaceId: string | null;
}

export interface SwapSessionOptions extends Watched {
  /** The data in the view that stays the same for the whole session. */
  readonly facts: Omit<LiveSwapView, 'isAgreed' | 'phase'>;
  readonly isAgreed: boolean;
  readonly translator: FrameTranslator;
  /** Opens the paid session. Throws errors that `startProblem` explains. */
  readonly open: Open;
  /** Checks whether the session may continue. Called every few seconds. */
  readonly look: (session: Watched) => Promise<Verdict>;
  readonly costOf: ChargeWaitOptions['costOf'];
  readonly consents: ConsentBook<LiveConsentText>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: LiveSwapLimits;
  /** Called once, when everything is closed, so that the member can start another session. */
  readonly onEnded: () => void;
  /** Called once, after the last report about the session. */
  readonly onOver: () => void;
}
