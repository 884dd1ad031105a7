import type { Capability } from '../../../media-api/wire.ts';
import type { JobView } from './job-view.ts';

/** A report on its way to a guild's moderators. */
export interface ReportNote {
  readonly reportId: string;
  readonly jobId: string;
  readonly guildId: string;
  readonly reporterId: string;
  readonly ownerId: string;
  readonly capability: Capability;
  readonly message: JobView['message'];
}

/** Reaches a guild's moderators. Implemented in `src/bot/discord/cards/moderator-notes.ts`. */
export interface ModeratorNotes {
  /** Whether they were told: false when the guild named no place for it, or the chat does not let the bot. */
  tell(note: ReportNote): Promise<boolean>;
}
