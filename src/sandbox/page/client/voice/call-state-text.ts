import type { PageVoiceState } from '../../page-views.ts';

/** Returns a member's state in a call in one or two words. */
export function callStateText(state: PageVoiceState): string {
  if (!state.connected) return 'connecting';
  if (state.speaking) return 'speaking';
  if (state.hand_raised) return 'hand raised';
  if (state.suppressed) return 'listening';
  if (state.mute) return 'muted by a moderator';
  if (state.self_mute) return 'muted';
  if (state.deaf || state.self_deaf) return 'hears nothing';
  return 'silent';
}
