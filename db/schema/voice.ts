import type { Selectable } from 'kysely';

/** How a consent ended: the member revoked it or left the channel, a moderator stopped it, or the session ended. */
export type VoiceRevoker = 'member' | 'left' | 'moderator' | 'end';

/**
 * A member's consent to the conversion of their speech in a voice channel or, if `channel_id` is '', of their camera
 * picture. It is valid for one session.
 */
export interface VoiceConsentsTable {
  guild_id: string;
  channel_id: string;
  user_id: string;
  session_id: string;
  text_version: string;
  given_at_ms: number;
  revoked_at_ms: number | null;
  revoked_by: VoiceRevoker | null;
}

/** A running voice session, and the message that shows it, if any. */
export interface VoicePanelsTable {
  session_id: string;
  guild_id: string;
  channel_id: string;
  stage_channel_id: string | null;
  panel_channel_id: string | null;
  message_id: string | null;
  started_at_ms: number;
}

export type VoiceConsentRow = Selectable<VoiceConsentsTable>;
export type VoicePanelRow = Selectable<VoicePanelsTable>;
