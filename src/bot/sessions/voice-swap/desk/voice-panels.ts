import type { VoiceView } from './voice-view.ts';

/** The place of a message that shows a session. */
export interface PanelPlace {
  readonly channelId: string;
  readonly messageId: string;
}

/**
 * The messages that show sessions. Implemented in `src/bot/discord/cards/voice-panels.ts`. Methods throw if the chat
 * cannot be reached.
 */
export interface VoicePanels {
  /** Posts a message that notifies nobody. Null if the chat does not let the bot. */
  post(channelId: string, view: VoiceView, signal: AbortSignal): Promise<PanelPlace | null>;
  /** Returns false if the message is gone or can no longer be changed. */
  edit(place: PanelPlace, view: VoiceView, signal: AbortSignal): Promise<boolean>;
  remove(place: PanelPlace, signal: AbortSignal): Promise<void>;
  /** Announces in the channel that a session ends soon. */
  warn(channelId: string, view: VoiceView, signal: AbortSignal): Promise<void>;
}
