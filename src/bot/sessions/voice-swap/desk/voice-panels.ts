import type { VoiceView } from './voice-view.ts';

/** Where a message that shows a session is. */
export interface PanelPlace {
  readonly channelId: string;
  readonly messageId: string;
}

/**
 * The messages that show sessions. Methods throw if Discord cannot be reached.
 * `src/bot/discord/cards/discord-voice-panels.ts` implements it.
 */
export interface VoicePanels {
  /** Posts a message that notifies nobody. Returns null if Discord does not allow the bot to post there. */
  post(channelId: string, view: VoiceView, signal: AbortSignal): Promise<PanelPlace | null>;
  /** Returns false if the message is gone or can no longer be changed. */
  edit(place: PanelPlace, view: VoiceView, signal: AbortSignal): Promise<boolean>;
  remove(place: PanelPlace, signal: AbortSignal): Promise<void>;
  /** Announces in the channel that a session will end soon. */
  warn(channelId: string, view: VoiceView, signal: AbortSignal): Promise<void>;
}
