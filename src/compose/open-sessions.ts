import type { PaidSessions } from '../bot/sessions/paid-sessions.ts';
import type { LiveSwap } from '../bot/sessions/live-swap/live-swap.ts';
import type { VoiceConversion } from '../bot/sessions/voice-swap/desk/voice-conversion.ts';
import { type PaidSessionsParts, openPaidSessions } from './open-paid-sessions.ts';
import { type LiveSwapParts, openLiveSwap } from './open-live-swap.ts';
import { type VoiceParts, openVoice } from './open-voice.ts';
import type { Basics } from './basics.ts';

/** The paid sessions: the parts that both kinds share, voice swaps, and live swaps. */
export interface Sessions {
  readonly paid: PaidSessions;
  readonly voice: VoiceConversion;
  readonly liveSwap: LiveSwap;
}

type SessionsParts = Omit<PaidSessionsParts & VoiceParts & LiveSwapParts, 'paid'>;

/** Opens voice swaps, live swaps, and the parts that both share. */
export async function openSessions(basics: Basics, needs: SessionsParts): Promise<Sessions> {
  const paid = openPaidSessions(basics, needs);
  const voice = await openVoice(basics, { ...needs, paid });
  const liveSwap = openLiveSwap(basics, { ...needs, paid });
  return { paid, voice, liveSwap };
}
