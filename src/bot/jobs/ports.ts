import type { Trx } from '../../../db/schema.ts';
import type { ServiceError } from '../../base/errors.ts';
import type { MicroUsd } from '../../base/money.ts';
import type { BudgetView } from '../money/caps/budget.ts';
import type { Capability } from '../../media-api/wire.ts';
import type { FinalCard, PriceCard, ProgressCard } from './cards.ts';
import type { InputOwner, InputProblem, InputRequest, PickedFile, PostedIn } from './inputs/inputs.ts';
import type { AccessRefusal, Refusal } from './intake/refusals.ts';

/** How the pipeline reaches the chat. Declared here, implemented in `src/bot/discord/cards/publisher.ts`. */
export interface JobPublisher {
  /**
   * Shows a stage on the member's card. Returns at once; at most one edit per 5 s and job leaves the
   * process, and none after a final card was begun for the same job. `isTrue` is asked just before it leaves: another
   * process may have ended the job meanwhile.
   */
  showProgress(target: ReplyTarget, progress: ProgressCard, isTrue?: () => Promise<boolean>): void;
  /**
   * Puts the question for a price in place of the progress, with what answers it; progress shown later takes its
   * place. Safe to repeat. `isTrue` is asked just before it leaves: without need it is `outdated`. Throws when the
   * chat could not be asked (worth a retry).
   */
  ask(target: ReplyTarget, card: PriceCard, options: AskOptions): Promise<Published | Outdated>;
  /**
   * Puts the final card in place of the progress. Safe to repeat: however often it is called for a job,
   * one message shows one final card. Throws when the chat could not be asked (worth a retry).
   */
  publish(target: ReplyTarget, card: FinalCard, signal: AbortSignal): Promise<Published>;
  /**
   * Takes a message away for good; one that is gone already is fine. False when the chat does not let the bot.
   * Throws when the chat could not be asked.
   */
  remove(message: PostedMessage, signal: AbortSignal): Promise<boolean>;
}

export interface AskOptions {
  readonly isTrue: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** There was no need any more. */
export interface Outdated {
  readonly outcome: 'outdated';
}

export interface PostedMessage {
  readonly channelId: string;
  readonly messageId: string;
}

/** Where a member's card lives; stored with the job. */
export interface ReplyTarget {
  readonly jobId: string;
  readonly applicationId: string;
  readonly guildId: string;
  readonly channelId: string;
  readonly userId: string;
  readonly interactionToken: string;
  /** After this moment (epoch milliseconds) edits go by channel and message with the bot's own token. */
  readonly tokenExpiresAtMs: number;
  /** The deferred reply, once its id is known. */
  readonly messageId: string | null;
  /** Largest file that the chat takes there. */
  readonly attachmentSizeLimitBytes: number;
}

export type Published =
  | { readonly outcome: 'posted'; readonly messageId: string }
  /** The chat said no for good (channel gone, no permission, blocked): the result stays kept. */
  | { readonly outcome: 'undeliverable'; readonly reason: string };

/** The way in: what a command hands over. Implemented by `src/bot/jobs/intake/intake.ts`. */
export interface JobIntake {
  /**
   * Stores the intent and its hold in one transaction, or refuses. A repeat of the same interaction
   * answers as the first did and stores nothing.
   */
  accept(request: JobRequest): Promise<IntakeOutcome>;
  /** The chat has shown the deferred reply: work may start. `messageId` when the chat told it. */
  acknowledged(jobId: string, messageId: string | null): Promise<void>;
  /** The acknowledgement failed, so nobody waits: voids the hold and forgets the job. */
  abandon(jobId: string): Promise<void>;
}

/** Who used the bot, where and when; what they may do is what Discord says at that moment. */
export interface CallOrigin {
  readonly interactionId: string;
  readonly applicationId: string;
  readonly guildId: string;
  readonly channelId: string;
  /** The channel of the thread and the category, nearest first; null when it is not known where the channel is. */
  readonly parentChannelIds: readonly string[] | null;
  /** Discord's age restriction of the channel. */
  readonly isAgeRestricted: boolean;
  readonly userId: string;
  readonly roleIds: readonly string[];
  /** May manage the server: sets rules and budgets. */
  readonly isAdmin: boolean;
  /** May manage messages in the whole server: sees and removes others' jobs. */
  readonly isModerator: boolean;
  /** May move or mute members of voice channels in the whole server. */
  readonly isVoiceModerator: boolean;
  /** The member's language, such as `en-GB`. */
  readonly locale: string;
  readonly interactionToken: string;
  readonly receivedAtMs: number;
  readonly attachmentSizeLimitBytes: number;
}

export interface JobRequest extends CallOrigin {
  readonly capability: Capability;
  readonly inputs: readonly InputRequest[];
  /** What the submit's body holds besides input keys, such as `{ output_resolution_p: 720 }`. */
  readonly parameters: JobParameters;
  /** The job that this is another try of. */
  readonly retryOf?: string;
}

export type JobParameters = Readonly<Record<string, string | number>>;

/** Keeps what members chose until they have filled in the form. Implemented by `src/bot/jobs/intake/picks.ts`. */
export interface PickedFiles {
  /** Stores the files for this member alone; the id that finds them for the next 30 minutes. */
  keep(by: Picker, files: readonly PickedFile[]): Promise<string>;
  /** Undefined when it is too old, or somebody else's. */
  find(by: Picker, id: string): Promise<readonly PickedFile[] | undefined>;
}

/** Results that are still kept, as inputs of new jobs. Implemented by `src/bot/jobs/results/kept-results.ts`. */
export interface KeptResults {
  /** The result of a job; undefined when it is not kept, or the member has no way to see it. */
  ofJob(by: Viewer, jobId: string): Promise<PickedFile | undefined>;
  /** The result that a message shows; null when it shows none, undefined as above. */
  ofMessage(by: Viewer, messageId: string): Promise<PickedFile | null | undefined>;
}

export type Viewer = Pick<CallOrigin, 'guildId' | 'channelId' | 'userId'>;
export type Picker = Pick<CallOrigin, 'guildId' | 'userId'>;

export type IntakeOutcome =
  | { readonly accepted: true; readonly jobId: string; readonly held: MicroUsd; readonly budget: BudgetView }
  | { readonly accepted: false; readonly refusal: Refusal };

/** Who may use the bot for what. Implemented in `src/bot/people/access` and `src/bot/people/members`. */
export interface AccessGate {
  /**
   * Looks at a request as part of the transaction that would take it on; null lets it pass. `owners` are those
   * whose pictures it is made from.
   */
  refuses(trx: Trx, request: JobRequest, owners: readonly InputOwner[]): Promise<AccessRefusal | null>;
}

/** The faces that members saved. Implemented in `src/bot/people/members/faces.ts`. */
export interface SavedFaces {
  /** The picture of a face that is the member's own and may be used; null otherwise. */
  pathOf(faceId: string, userId: string): Promise<string | null>;
}

/** The consent of members to the use of their pictures. Implemented in `src/bot/people/members/consents.ts`. */
export interface OwnerWishes {
  /** Whether this member of this guild may use pictures of these owners now. */
  allow(
    by: { readonly guildId: string; readonly userId: string },
    owners: readonly InputOwner[],
  ): Promise<boolean>;
}

/** The files that the bot can see in a channel. Implemented in `src/bot/discord/wire/newest-file.ts`. */
export interface NewestFile {
  /**
   * The newest file of that kind in the channel that has at most `sizeBytesMax`, with a fresh link, or null. Files for
   * which `isFree` returns false are skipped. Throws if the chat cannot be asked.
   */
  find(
    request: {
      readonly channelId: string;
      readonly kind: 'image' | 'audio' | 'video';
      readonly sizeBytesMax: number;
      readonly isFree: (file: ChannelFile) => Promise<boolean>;
    },
    signal: AbortSignal,
  ): Promise<ChannelFile | null>;
}

/** A file of a message in a channel. */
interface ChannelFile extends PostedIn {
  readonly url: string;
  readonly sizeBytes: number;
}

/** How the pipeline gets a command's input files. Implemented in `src/bot/discord/wire/attachment-fetcher.ts`. */
export interface InputFetcher {
  /**
   * Downloads `url` into the file `toPath`, which is there whole or not at all; an older file of that name
   * is replaced. Tries again by itself within a deadline. Throws `InputFetchFailure`, or the signal's reason.
   */
  fetch(
    request: { readonly url: string; readonly toPath: string; readonly sizeBytesMax: number },
    signal: AbortSignal,
  ): Promise<void>;
}

/** A file could not be had: a `ServiceError` that also holds what to tell the member. */
export interface InputFetchFailure extends ServiceError<'unavailable' | 'too_large' | 'empty'> {
  readonly problem: InputProblem;
  /** Another try may bring it. */
  readonly retryable: boolean;
}
