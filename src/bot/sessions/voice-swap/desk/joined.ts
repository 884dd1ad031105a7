import type { AccessRefusal } from '../../../jobs/intake/refusals.ts';
import type { VoiceConsentText } from './voice-consent-text.ts';
import type { VoiceView } from './voice-view.ts';
import type { ParticipantView } from './participant-view.ts';

/** The answer to a request to join. */
export type Joined =
  /** The bot listens to the member from now on, and converts their speech as soon as the service is connected. */
  | { readonly kind: 'joined'; readonly view: VoiceView; readonly speaker: ParticipantView }
  /** The member must agree to this text first. */
  | { readonly kind: 'ask'; readonly view: VoiceView; readonly text: VoiceConsentText }
  /** A rule of the guild forbids it. */
  | { readonly kind: 'refused'; readonly access: AccessRefusal };
