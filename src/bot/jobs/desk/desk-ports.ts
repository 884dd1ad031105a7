import type { JobOutcome, JobStage, TakenBack } from '../../../../db/schema/jobs.ts';
import type { MicroUsd } from '../../../base/money.ts';
import type { Capability } from '../../../media-api/wire.ts';
import type { JobFailure, ResultFile, ResultLink } from '../cards.ts';
import type { CallOrigin, IntakeOutcome } from '../ports.ts';

/** What members may do with jobs later on. Every call checks who asks: job ids are no secrets. */
export interface JobDesk {
  /** Own jobs, or, for moderators, those of the guild; newest first. */
  list(origin: CallOrigin, query: JobListQuery): Promise<JobPage>;
  /** One job and how its result can be had; a link in it is fresh. */
  show(origin: CallOrigin, jobId: string): Promise<Shown | DeskRefused>;
  /** Another try with the same files and settings, for whoever asks: access and budget are theirs. */
  retry(origin: CallOrigin, jobId: string): Promise<Retried | DeskRefused>;
  /** Ends a job that was not sent yet; of one that was, the result is not shown. */
  cancel(origin: CallOrigin, jobId: string): Promise<TookBack | DeskRefused>;
  /** Lets a job go on that waits for its member's yes to its price; only they may say it. */
  confirm(origin: CallOrigin, jobId: string): Promise<Confirmed | DeskRefused>;
  /** Takes a job's message and files away; one that still runs is hidden. */
  remove(origin: CallOrigin, jobId: string): Promise<TookBack | DeskRefused>;
  /** Tells the guild's moderators of a result that should not be there. */
  report(origin: CallOrigin, jobId: string): Promise<Reported | DeskRefused>;
}

export interface JobListQuery {
  readonly whose: 'own' | 'guild';
  readonly which: 'open' | 'ended';
  /** The first is 0. */
  readonly page: number;
}

export interface JobPage extends JobListQuery {
  readonly jobs: readonly JobView[];
  readonly hasMore: boolean;
}

/** A job as those see it who may. */
export interface JobView {
  readonly jobId: string;
  readonly capability: Capability;
  readonly userId: string;
  readonly acceptedAtMs: number;
  readonly stage: JobStage;
  /** Null while it is open. */
  readonly outcome: JobOutcome | null;
  readonly failure: JobFailure | null;
  readonly takenBack: TakenBack | null;
  readonly charged: MicroUsd | null;
  /** Whether its result is still kept. */
  readonly isKept: boolean;
  /** The price that the member is asked about; null when it waits for no answer. */
  readonly askedPrice: MicroUsd | null;
  /** Why the chat did not take the card; null when it did, or was not asked yet. */
  readonly undelivered: string | null;
  /** Where its card is; null without. */
  readonly message: {
    readonly guildId: string;
    readonly channelId: string;
    readonly messageId: string;
  } | null;
  readonly canRetry: boolean;
}

export interface Shown {
  readonly outcome: 'shown';
  readonly job: JobView;
  /** What fits into an answer here; null when nothing does, or nothing is kept. */
  readonly file: ResultFile | null;
  readonly isSmaller: boolean;
  readonly link: ResultLink | null;
}

export interface Retried {
  readonly outcome: 'retried';
  readonly capability: Capability;
  readonly intake: IntakeOutcome;
}

export interface TookBack {
  readonly outcome: 'took_back';
  /** What became of it: never sent, sent (so that it runs and is billed), or ended long since. */
  readonly when: 'before_sending' | 'at_service' | 'ended';
  /** False when the chat did not let the bot take the message away. */
  readonly isMessageGone: boolean;
}

export interface Confirmed {
  readonly outcome: 'confirmed';
  /** False when they had said yes before. */
  readonly isNew: boolean;
}

export interface Reported {
  readonly outcome: 'reported';
  /** False when this member had reported it before. */
  readonly isNew: boolean;
}

export interface DeskRefused {
  readonly outcome: 'refused';
  readonly why: DeskRefusal;
}

export type DeskRefusal =
  /** There is none of this id in this guild, or it was deleted. */
  | 'not_found'
  /** It belongs to somebody else, and who asks is no moderator. */
  | 'not_yours'
  /** Who asked for it must say yes to its price, and nobody else. */
  | 'not_the_asker'
  /** A budget manager or the operator must review an earlier charge of the member first. */
  | 'overrun_unseen'
  | 'still_running'
  | 'ended'
  /** The same files will not do the next time either. */
  | 'pointless'
  /** Another try is under way. */
  | 'already_retrying'
  /** Its files are not kept any more. */
  | 'inputs_gone'
  /** It has no result to report. */
  | 'no_result';

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
