import type { Trx } from '../../db/schema.ts';
import type { ServiceError } from '../base/errors.ts';
import type { MicroUsd } from '../base/money.ts';
import type { BudgetView } from '../ledger/budget.ts';
import type { Capability } from '../media-api/wire.ts';

/** Part of the cards below; whoever implements the ports knows only this file. */

/** How the pipeline reaches the chat. Declared here, implemented in `src/discord/publisher.ts`. */
export interface JobPublisher {
  /**
   * Shows a stage on the member's card. Returns at once; at most one edit per 5 s and job leaves the
   * process, and none after a final card was begun for the same job. `isTrue` is asked just before it leaves: another
   * process may have ended the job meanwhile.
   */
  showProgress(target: ReplyTarget, progress: ProgressCard, isTrue?: () => Promise<boolean>): void;
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

/** What the member sees happening, in the order of the way of a job; `cancelling` stands beside it. */
export type ProgressStage = 'queued' | 'cancelling' | 'fetching' | 'uploading' | 'at_service' | 'collecting';

export interface ProgressCard {
  readonly capability: Capability;
  readonly stage: ProgressStage;
  /** Of a `queued` job: its place in the queue, 1 is next. */
  readonly position?: number;
  readonly acceptedAtMs: number;
  /** Median milliseconds from command to result of earlier jobs, once there are any. */
  readonly typicalMs: number | null;
}

export type FinalCard = ResultCard | FailureCard;

export interface ResultCard {
  readonly kind: 'result';
  readonly capability: Capability;
  /** What to attach; null when nothing of it is small enough. */
  readonly file: ResultFile | null;
  /** Whether `file` is a smaller copy of the kept result. */
  readonly isSmaller: boolean;
  /** Where the kept result can be had; null when Masquerade has no public address. */
  readonly link: ResultLink | null;
  /** Null when the service has not told it yet. */
  readonly charged: MicroUsd | null;
  readonly budget: BudgetView;
  readonly tookMs: number;
}

export interface ResultFile {
  readonly path: string;
  readonly name: string;
  readonly mime: string;
}

/** A link to Masquerade's own web part that is good for some time. */
export interface ResultLink {
  readonly url: string;
  readonly expiresAtMs: number;
}

export interface FailureCard {
  readonly kind: 'failure';
  readonly capability: Capability;
  readonly failure: JobFailure;
  /** Whether another try with the same files may come to something else. */
  readonly canRetry: boolean;
  /** Null when it is not known whether the service will charge. */
  readonly charged: MicroUsd | null;
  readonly budget: BudgetView;
}

/** Why an accepted job ended without a result. Nothing here came from the service's free text. */
export type JobFailure =
  /** An input file did not pass the checks; `option` is the command option that held it. */
  | { readonly reason: 'input'; readonly option: string; readonly problem: InputProblem }
  /** The service ended the job with this code (one of the documented five, or a newer one). */
  | { readonly reason: 'job'; readonly code: string }
  /** The service refused the upload or submit; its error code. */
  | { readonly reason: 'service_refused'; readonly code: string }
  /** The service could not be reached within the allowed time. */
  | { readonly reason: 'service_unreachable' }
  /** Now that the lengths of its files are known it costs more than the budget has left. Nothing was submitted. */
  | { readonly reason: 'budget'; readonly needed: MicroUsd }
  /** Whether the service took the job on could not be found out; the operator looks into it. */
  | { readonly reason: 'unconfirmed' }
  /** Something on our own side kept failing; the log says what. */
  | { readonly reason: 'internal' }
  /** Somebody took it back; what the service charged all the same is on the card. */
  | { readonly reason: 'cancelled' }
  /** The result was made but its link could not be collected in time. */
  | { readonly reason: 'result_lost' };

export type InputProblem =
  | { readonly kind: 'missing' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'too_large'; readonly sizeBytes: number; readonly sizeBytesMax: number }
  | { readonly kind: 'wrong_type'; readonly expected: 'image' | 'audio' | 'video' }
  /** Of the right kind, but its metadata cannot be removed here; `format` is such as `HEIC`. */
  | {
      readonly kind: 'unsupported_format';
      readonly expected: 'image' | 'audio' | 'video';
      readonly format: string;
    }
  | { readonly kind: 'too_long'; readonly durationSeconds: number; readonly durationSecondsMax: number }
  | { readonly kind: 'undecodable' }
  | { readonly kind: 'too_many_pixels'; readonly megapixels: number; readonly megapixelsMax: number }
  /** A file for a text that is not readable text (UTF-8). */
  | { readonly kind: 'not_text' }
  /** In UTF-16 units, which are never fewer than characters. */
  | { readonly kind: 'text_too_long'; readonly length: number; readonly lengthMax: number }
  /** The attachment could not be fetched from the chat's CDN. */
  | { readonly kind: 'unavailable' };

/** The way in: what a command hands over. Implemented by `src/jobs/intake.ts`. */
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

export type InputKind = 'image' | 'audio' | 'video' | 'text';

export interface InputRequest {
  /** The API's body field, such as `image_key`. A `text` becomes the field's value itself, such as `script`. */
  readonly field: string;
  /** The command option, such as `image`. */
  readonly option: string;
  readonly kind: InputKind;
  readonly source: InputSource;
}

export type InputSource =
  /** A file on the chat's CDN. The size is what the chat claims; null when it claims none. */
  | {
      readonly from: 'chat';
      readonly url: string;
      readonly sizeBytes: number | null;
      /** Somebody else whom the file may not be used without. */
      readonly of?: PictureOwner;
    }
  /** The newest fitting file that the bot can see in the channel; looked for when the job starts. */
  | { readonly from: 'newest' }
  /** A face that a member saved. */
  | { readonly from: 'saved_face'; readonly faceId: string }
  /** The kept result of a job. */
  | { readonly from: 'result'; readonly jobId: string }
  /** The kept input of an earlier job, for another try. */
  | { readonly from: 'input'; readonly jobId: string; readonly field: string };

/** Whose avatar it is, or who wrote the message that holds it. */
export interface PictureOwner {
  readonly kind: 'avatar' | 'message';
  readonly userId: string;
}

/** Whose picture an input is, or is made from; `gone` is somebody who had their data removed. */
export type InputOwner = PictureOwner | { readonly kind: 'gone' };

/** A file that a member chose by a menu or button, before it is known what is done with it. */
export interface PickedFile {
  readonly kind: Exclude<InputKind, 'text'>;
  readonly name: string;
  readonly source: Extract<InputSource, { readonly from: 'chat' | 'result' }>;
}

/** Keeps what members chose until they have filled in the form. Implemented by `src/jobs/picks.ts`. */
export interface PickedFiles {
  /** Stores the files for this member alone; the id that finds them for the next 30 minutes. */
  keep(by: Picker, files: readonly PickedFile[]): Promise<string>;
  /** Undefined when it is too old, or somebody else's. */
  find(by: Picker, id: string): Promise<readonly PickedFile[] | undefined>;
}

/** Results that are still kept, as inputs of new jobs. Implemented by `src/jobs/kept-results.ts`. */
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

/** Why a command was not taken on. Nothing was held or charged. */
export type Refusal =
  | { readonly reason: 'budget'; readonly needed: MicroUsd; readonly budget: BudgetView }
  | { readonly reason: 'input'; readonly option: string; readonly problem: InputProblem }
  | { readonly reason: 'busy' }
  /** Another try of the same job is under way. */
  | { readonly reason: 'already_retrying' }
  /** The service has the capability switched off; a command after `againAtMs` tries it again. */
  | { readonly reason: 'switched_off'; readonly againAtMs: number }
  | { readonly reason: 'access'; readonly access: AccessRefusal };

/** The rule of a community, or the wish of a member, that a command goes against. */
export type AccessRefusal =
  | { readonly rule: 'blocked' }
  | { readonly rule: 'capability' }
  /** With the channels where it is allowed, at most five; empty when it is everywhere but here. */
  | { readonly rule: 'channel'; readonly allowedIds: readonly string[] }
  /** With the roles of which one is needed, at most five; empty when one of the member's is shut out. */
  | { readonly rule: 'role'; readonly neededIds: readonly string[] }
  | { readonly rule: 'age_restricted' }
  | { readonly rule: 'cooldown'; readonly seconds: number; readonly endsAtMs: number }
  | { readonly rule: 'concurrent'; readonly max: number }
  /** The saved face is not there any more, or was never the member's. */
  | { readonly rule: 'face_gone' }
  /** The member chose that their own face is never swapped. */
  | { readonly rule: 'own_never_swap' }
  /** Somebody else chose so. */
  | { readonly rule: 'never_swap'; readonly ownerId: string }
  /** The owner has not allowed that their avatar is used. */
  | { readonly rule: 'avatar_not_allowed'; readonly ownerId: string }
  /** The owner of a picture in it had their data removed. */
  | { readonly rule: 'owner_gone' };

/** Who may use the bot for what. Implemented in `src/access` and `src/members`. */
export interface AccessGate {
  /**
   * Looks at a request as part of the transaction that would take it on; null lets it pass. `owners` are those
   * whose pictures it is made from.
   */
  refuses(trx: Trx, request: JobRequest, owners: readonly InputOwner[]): Promise<AccessRefusal | null>;
}

/** The faces that members saved. Implemented in `src/members/faces.ts`. */
export interface SavedFaces {
  /** The picture of a face that is the member's own and may be used; null otherwise. */
  pathOf(faceId: string, userId: string): Promise<string | null>;
}

/** Who does not want their face swapped. Implemented in `src/members/consents.ts`. */
export interface NeverSwap {
  /** Those among `userIds` (at most 100) whose files are not to be taken. */
  among(userIds: readonly string[]): Promise<ReadonlySet<string>>;
}

/** The files that the bot can see in a channel. Implemented in `src/discord/newest-file.ts`. */
export interface NewestFile {
  /**
   * The newest file of that kind in the channel that has at most `sizeBytesMax`, with a fresh link, or null.
   * Files of members whom `neverSwap` names are passed over. Throws when the chat could not be asked.
   */
  find(
    request: {
      readonly channelId: string;
      readonly kind: 'image' | 'audio' | 'video';
      readonly sizeBytesMax: number;
      readonly neverSwap: NeverSwap | undefined;
    },
    signal: AbortSignal,
  ): Promise<{ readonly url: string; readonly sizeBytes: number; readonly authorId: string } | null>;
}

/** How the pipeline gets a command's input files. Implemented in `src/discord/attachment-fetcher.ts`. */
export interface InputFetcher {
  /**
   * Downloads `url` into the file `toPath`, which is there whole or not at all; an older file of that name
   * is replaced. Tries again by itself within a deadline. Throws `InputFetchFailure`, or the signal's reason.
   */
  fetch(
    request: { readonly url: string; readonly toPath: string; readonly sizeBytesMax: number },
    signal: AbortSignal,
  ): Promise<{ readonly sizeBytes: number; readonly sha256: string }>;
}

/** A file could not be had: a `ServiceError` that also holds what to tell the member. */
export interface InputFetchFailure extends ServiceError<'unavailable' | 'too_large' | 'empty'> {
  readonly problem: InputProblem;
  /** Another try may bring it. */
  readonly retryable: boolean;
}
