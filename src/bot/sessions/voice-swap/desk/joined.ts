import type { AccessRefusal } from '../../../jobs/intake/refusals.ts';
import type { VoiceConsentText } from './voice-consent-text.ts';
import type { VoiceView } from './voice-view.ts';
import type { ParticipantView } from './participant-view.ts';

/** The result of a join request. */
export type Joined =
  /** The bot now listens to the member, and converts their speech as soon as the service is connected. */
  | { readonly kind: 'joined'; readonly view: VoiceView; readonly speaker: ParticipantView }
  /** The member must agree to this text first. */
  | { readonly kind: 'ask'; readonly view: VoiceView; readonly text: VoiceConsentText }
  /** A guild rule forbids the member to join. */
  | { readonly kind: 'refused'; readonly access: AccessRefusal };
