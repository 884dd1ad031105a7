import type { VoiceView } from './voice-view.ts';

/** A message that shows a session, where it is. */
export interface PanelPlace {
  readonly channelId: string;
  readonly messageId: string;
}

/** Messages that show sessions. Implemented in `src/bot/discord/cards/voice-panels.ts`. Throws when the chat could not be asked. */
export interface VoicePanels {
  /** Null: the chat does not let the bot. Nobody is pinged. */
  post(channelId: string, view: VoiceView, signal: AbortSignal): Promise<PanelPlace | null>;
  /** False: the message is gone, or cannot be changed any more. */
  edit(place: PanelPlace, view: VoiceView, signal: AbortSignal): Promise<boolean>;
  remove(place: PanelPlace, signal: AbortSignal): Promise<void>;
  /** Says in the channel that a session ends soon. */
  warn(channelId: string, view: VoiceView, signal: AbortSignal): Promise<void>;
}
