import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { VoiceCall } from './voice-call.ts';

export const VoiceContext = createContext<VoiceCall | null>(null);

/** Returns this page's side of the member's call. */
export function useVoiceCall(): VoiceCall {
  const call = useContext(VoiceContext);
  if (!call) throw new TypeError('Cannot use the call outside of its page');
  return call;
}
