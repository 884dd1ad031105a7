import type { AccessRefusal } from '../../../jobs/intake/refusals.ts';
import type { VoiceConsentText } from './consent-text.ts';
import type { VoiceView } from './voice-view.ts';
import type { SpeakerView } from './speaker-view.ts';

/** What asking to join came to. */
export type Joined =
  /** Heard from now on, converted as soon as the service is connected. */
  | { readonly kind: 'joined'; readonly view: VoiceView; readonly speaker: SpeakerView }
  /** They must agree to this first. */
  | { readonly kind: 'ask'; readonly view: VoiceView; readonly text: VoiceConsentText }
  /** A rule of the guild is against it. */
  | { readonly kind: 'refused'; readonly access: AccessRefusal };
