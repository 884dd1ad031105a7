import type { Capability } from '../../../media-api/wire.ts';
import type { JobView } from './job-view.ts';

/** A member's report for a guild's moderators. */
export interface ReportNote {
  readonly reportId: string;
  readonly jobId: string;
  readonly guildId: string;
  readonly reporterId: string;
  readonly ownerId: string;
  readonly capability: Capability;
  readonly message: JobView['message'];
}

/** Notifies a guild's moderators. Implemented in `src/bot/discord/cards/discord-moderator-notes.ts`. */
export interface ModeratorNotes {
  /** Returns false if the guild has no channel for reports, or the chat does not let the bot post there. */
  notify(note: ReportNote): Promise<boolean>;
}
