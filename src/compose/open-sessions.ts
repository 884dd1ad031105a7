import type { Live } from '../bot/sessions/live.ts';
import type { LiveSwap } from '../bot/sessions/live-swap/live-swap.ts';
import type { VoiceConversion } from '../bot/sessions/voice-swap/desk/voice-desk.ts';
import { type LiveParts, openLive } from './open-live.ts';
import { type LiveSwapParts, openLiveSwap } from './open-live-swap.ts';
import { type VoiceParts, openVoice } from './open-voice.ts';
import type { Basics } from './basics.ts';

/** What is paid by the second, for voices and for faces. */
export interface PaidParts {
  readonly live: Live;
  readonly voice: VoiceConversion;
  readonly liveSwap: LiveSwap;
  /** Nothing of the member is sent anywhere any more. */
  forget(userId: string): void;
}

type Needs = Omit<LiveParts & VoiceParts & LiveSwapParts, 'live'>;

export async function openSessions(parts: Basics, needs: Needs): Promise<PaidParts> {
  const live = openLive(parts, needs);
  const voice = await openVoice(parts, { ...needs, live });
  const liveSwap = openLiveSwap(parts, { ...needs, live });
  const forget = (userId: string): void => {
    voice.forget(userId);
    liveSwap.forget(userId);
  };
  return { live, voice, liveSwap, forget };
}
