import type { Clock } from '../../../../base/clock.ts';
import type { Logger } from '../../../../base/log.ts';
import type { ConsentBook } from '../../consent-book.ts';
import type { ChargeWaitOptions } from './charge-wait.ts';
import type { FrameTranslator } from '../frame-codec.ts';
import type { LiveConsentText } from '../live-consent-text.ts';
import type { LiveSwapEnd } from '../live-swap-end.ts';
import type { LiveSwapLimits } from '../live-swap-limits.ts';
import type { Open } from '../opener.ts';
import type { CallOrigin } from '../../../jobs/call-origin.ts';
import type { LiveSwapView } from '../live-swap-view.ts';

/** Whether a session may go on, or why not. */
export type Verdict = 'fine' | Extract<LiveSwapEnd, 'not_allowed' | 'consent_gone' | 'face_gone'>;

/** What must be known of a session to say whether it may go on. */
export interface Watched {
  readonly id: string;
  readonly by: CallOrigin;
  /** The saved face that is worn; null: it is another one. */
  readonly savedFaceId: string | null;
}

export interface SwapSessionOptions extends Watched {
  /** What of the view never changes. */
  readonly facts: Omit<LiveSwapView, 'isAgreed' | 'phase'>;
  readonly isAgreed: boolean;
  readonly translator: FrameTranslator;
  /** Throws what `startProblem` can tell. */
  readonly open: Open;
  /** Whether it may go on; called every few seconds. */
  readonly look: (session: Watched) => Promise<Verdict>;
  readonly costOf: ChargeWaitOptions['costOf'];
  readonly consents: ConsentBook<LiveConsentText>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: LiveSwapLimits;
  /** Called once, when nothing is open any more: the member can have another one. */
  readonly onEnded: () => void;
  /** Called once, when nothing more is to be said of it. */
  readonly onOver: () => void;
}
