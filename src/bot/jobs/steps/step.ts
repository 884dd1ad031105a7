import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { ZERO } from '../../../base/money.ts';
import { type Backoff, backoffMs } from '../../../base/retry.ts';
import type { Database } from '../../../../db/database.ts';
import { type StepPatch, isUnderWay } from '../../../../db/queries/jobs.ts';
import type { Trx } from '../../../../db/schema.ts';
import type { JobInputRow } from '../../../../db/schema/job-inputs.ts';
import type { JobRow, JobStage } from '../../../../db/schema/jobs.ts';
import type { Ledger } from '../../money/ledger/ledger.ts';
import type { SpendingGate } from '../../money/ledger/spending-gate.ts';
import { MediaApiRefusal } from '../../../media-api/errors.ts';
import type { MediaApi } from '../../../media-api/media-api.ts';
import { CAPABILITIES, type Capability } from '../../../media-api/wire.ts';
import type { MediaPool } from '../../media/pool/media-pool.ts';
import type { Ceilings } from '../prices/ceilings.ts';
import type { JobFiles } from '../results/job-files.ts';
import type { JobLimits } from '../job-limits.ts';
import type { JobFailure, ProgressCard, ProgressStage } from '../cards.ts';
import type { Quotes } from '../prices/quote.ts';
import type { ResultLinks } from '../results/result-links.ts';
import type { TypicalTimes } from '../prices/typical-times.ts';
import type { VoiceCatalog } from '../voice-catalog.ts';
import type { WebhookInbox } from '../webhook-inbox.ts';
import type { InputFetcher } from '../inputs/input-fetcher.ts';
import type { JobPublisher } from '../job-publisher.ts';
import type { NewestFile } from '../inputs/newest-file.ts';
import type { OwnerWishes } from '../inputs/owner-wishes.ts';
import type { ReplyTarget } from '../reply-target.ts';
import type { SavedFaces } from '../inputs/saved-faces.ts';

/** What every step may use. */
export interface StepContext {
  readonly db: Database;
  readonly ledger: Ledger;
  readonly api: MediaApi;
  readonly fetcher: InputFetcher;
  /** Without one, there is nothing newest, saved, or kept from being used. */
  readonly newest: NewestFile | undefined;
  readonly savedFaces: SavedFaces | undefined;
  readonly ownerWishes: OwnerWishes | undefined;
  readonly quotes: Quotes;
  readonly publisher: JobPublisher;
  readonly files: JobFiles;
  readonly media: MediaPool;
  readonly links: ResultLinks;
  readonly typical: TypicalTimes;
  readonly inbox: WebhookInbox;
  readonly voices: VoiceCatalog;
  readonly ceilings: Ceilings;
  readonly limits: JobLimits;
  /** Hears when the service's account does not cover a job. */
  readonly spending: SpendingGate | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** The address the service shall deliver a job's webhook to; undefined asks for none. */
  readonly callbackUrl: ((callbackToken: string) => string) | undefined;
}

/** The context of one run of a step; the signal aborts at its deadline and when the program stops. */
export interface StepRun extends StepContext {
  readonly signal: AbortSignal;
  /** False once another process may have the job: then nothing may be shown any more. */
  readonly isHeld: () => boolean;
}

/**
 * One small, repeatable piece of the way of a job: does its effect outside any transaction and says what to
 * record. Whatever a step did before a crash, doing it again changes nothing more.
 */
export type Step = (job: JobRow, inputs: readonly JobInputRow[], run: StepRun) => Promise<StepResult>;

export type StepResult =
  /** The stage is done: `patch` and what `also` writes are recorded in one transaction. */
  | {
      readonly kind: 'advance';
      readonly to: JobStage;
      readonly patch?: StepPatch;
      readonly also?: (trx: Trx) => Promise<void>;
      /** When the next stage is due (epoch milliseconds); at once when absent. */
      readonly dueAtMs?: number;
    }
  /** The stage is not done: look again at `atMs` (whole epoch milliseconds). */
  | { readonly kind: 'wait'; readonly atMs: number; readonly patch?: StepPatch };

/** What a run that threw `error` comes to; undefined repeats it after a while. */
export type Failed = (job: JobRow, error: unknown, run: StepRun) => StepResult | undefined;

/**
 * Returns the result for a step that is not run again because the processes that ran it died. It changes nothing except
 * the row.
 */
export type GivenUp = (job: JobRow, run: StepRun) => StepResult;

/** The stored capability; a row of a newer program may hold one that this one does not know. */
export function capabilityOf(job: JobRow): Capability {
  const capability = CAPABILITIES.find((known) => known === job.capability);
  if (!capability) throw new TypeError(`Cannot handle a job of capability "${job.capability}"`);
  return capability;
}

/** Whether the job waits for its member's yes to its price. */
export function waitsForYes(job: JobRow): boolean {
  return job.stage === 'fetched' && job.asked_at_ms !== null && job.confirmed_at_ms === null;
}

export function replyTarget(job: JobRow): ReplyTarget {
  return {
    jobId: job.id,
    applicationId: job.application_id,
    guildId: job.guild_id,
    channelId: job.channel_id,
    userId: job.user_id,
    interactionToken: job.interaction_token,
    tokenExpiresAtMs: job.token_expires_at_ms,
    messageId: job.reply_message_id,
    attachmentSizeLimitBytes: job.attachment_size_limit_bytes,
  };
}

export function showStage(job: JobRow, stage: ProgressStage, run: StepRun): void {
  // Another process may show the result already; a late word of progress would take its place.
  if (job.taken_back !== null || !run.isHeld()) return;
  const card = progressCard(job, stage, run.typical);
  run.publisher.showProgress(replyTarget(job), card, () => isUnderWay(run.db.kysely, job.id));
}

/** What the member sees of a running job. */
export function progressCard(job: JobRow, stage: ProgressStage, typical: TypicalTimes): ProgressCard {
  const capability = capabilityOf(job);
  return {
    capability,
    stage,
    acceptedAtMs: job.accepted_at_ms,
    price: job.quote_micros,
    typicalMs: typical.of(capability),
  };
}

/** The end without a result before anything was charged: the hold goes back, the member is told. */
export function failUncharged(
  job: JobRow,
  failure: JobFailure,
  run: StepRun,
  also?: (trx: Trx) => Promise<void>,
): StepResult {
  return {
    kind: 'advance',
    to: 'collected',
    patch: { outcome: 'failed', failure: JSON.stringify(failure), charged_micros: ZERO },
    also: async (trx) => {
      await run.ledger.void(trx, { subject: job.id });
      await also?.(trx);
    },
  };
}

/** Nothing was sent to the service, so the hold is released. */
export const failCrashed: GivenUp = (job, run) => failUncharged(job, { reason: 'crashed' }, run);

/**
 * The end that nobody can tell yet: whether the service made (and will charge) the job. The hold is set
 * aside for review and stays counted; the member is told.
 */
export function leaveForReview(job: JobRow, run: StepRun): StepResult {
  return {
    kind: 'advance',
    to: 'collected',
    patch: { outcome: 'unknown', failure: JSON.stringify({ reason: 'unconfirmed' } satisfies JobFailure) },
    also: async (trx) => {
      await run.ledger.review(trx, { subject: job.id });
    },
  };
}

/** The operator's to mend, by a new key: the members' jobs wait for it. */
export function isKeyRefused(error: unknown): boolean {
  return error instanceof MediaApiRefusal && error.status === 401;
}

/** Tells the operator why the service took a job not on; some of it only the operator can mend. */
export function logRefusal(job: JobRow, refusal: MediaApiRefusal, run: StepRun): void {
  const fields = { jobId: job.id, stage: job.stage, status: refusal.status, code: refusal.code };
  if (refusal.status === 402) run.spending?.wasShort(job.hold_micros, 'service');
  if (refusal.status === 401 || refusal.status === 402) {
    run.log.error(fields, 'The service refuses all work of this account until its operator sees to it');
  } else run.log.warn(fields, 'The service refused a job');
}

const RETRY: Backoff = { delayMsFirst: 1_000, delayMsMax: 60_000 };

/** The moment of try `attempt + 1` of the same step: half to all of 1 s, 2 s, 4 s, ... at most 60 s from now. */
export function retryAt(job: JobRow, run: Pick<StepRun, 'clock'>): number {
  return run.clock.now() + backoffMs(RETRY, job.attempts);
}
