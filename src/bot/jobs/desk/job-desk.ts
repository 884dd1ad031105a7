import { findJob } from '../../../../db/queries/jobs.ts';
import { listJobs } from '../../../../db/queries/job-desk.ts';
import { listJobInputs } from '../../../../db/queries/job-inputs.ts';
import { insertReport } from '../../../../db/queries/reports.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import { randomId } from '../../../base/ids.ts';
import { fittingFile } from '../results/fitting-file.ts';
import { confirmPrice, type ConfirmPriceTools } from './confirm-price.ts';
import { isOver, jobView } from './job-view.ts';
import { retryRequest } from './retry-request.ts';
import { cancelJob, type CancelJobTools } from './cancel-job.ts';
import { deleteJob, type DeleteJobTools } from './delete-job.ts';
import type { CallOrigin } from '../call-origin.ts';
import type { Intake } from '../intake/intake.ts';
import type { Confirmed, Reported, Retried, Shown, TookBack } from './desk-outcomes.ts';
import type { DeskRefusal, DeskRefused } from './desk-refused.ts';
import type { JobListQuery, JobPage } from './job-page.ts';
import type { ModeratorNotes } from './moderator-notes.ts';
import type { ResultLinks } from '../results/result-links.ts';

type DeskOptions = CancelJobTools &
  DeleteJobTools &
  ConfirmPriceTools & {
    readonly intake: Pick<Intake, 'accept'>;
    readonly links: Pick<ResultLinks, 'linkTo'>;
    /** If `undefined`, reports only appear in the operator's log. */
    readonly moderators: ModeratorNotes | undefined;
  };

const PAGE_SIZE = 8;
/** The maximum number of pages of a job list. Jobs beyond them can still be shown by id. */
const PAGES_MAX = 50;

/** The actions that members can take on existing jobs. Each call checks the stored job and the member's permissions. */
export class JobDesk {
  readonly #options: DeskOptions;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  /** Lists the caller's own jobs, newest first. Moderators can also list all jobs of the guild. */
  async list(origin: CallOrigin, query: JobListQuery): Promise<JobPage> {
    const whose = origin.isModerator ? query.whose : 'own';
    const page = Math.min(Math.max(0, Math.trunc(query.page)), PAGES_MAX - 1);
    const found = await listJobs(this.#options.db.kysely, {
      guildId: origin.guildId,
      ...(whose === 'own' ? { userId: origin.userId } : {}),
      which: query.which,
      offset: page * PAGE_SIZE,
      limit: PAGE_SIZE + 1,
    });
    const jobs = found.slice(0, PAGE_SIZE).map(jobView);
    return {
      whose,
      which: query.which,
      page,
      jobs,
      hasMore: found.length > PAGE_SIZE && page + 1 < PAGES_MAX,
    };
  }

  /** Returns one job with a new link to its result and, if the result is small enough, the result as a file. */
  async show(origin: CallOrigin, jobId: string): Promise<Shown | DeskRefused> {
    const job = await this.#jobOf(origin, jobId);
    if (typeof job === 'string') return refused(job);
    const isEnded = job.taken_back === null && job.outcome === 'succeeded';
    const fitting = isEnded ? await fittingFile(job, origin.attachmentSizeLimitBytes) : undefined;
    return {
      outcome: 'shown',
      job: jobView(job),
      file: fitting?.file ?? null,
      isSmaller: fitting?.isSmaller ?? false,
      link: isEnded ? this.#options.links.linkTo(job) : null,
    };
  }

  /** Requests another attempt with the same files and settings. The caller's permissions and budget apply. */
  async retry(origin: CallOrigin, jobId: string): Promise<Retried | DeskRefused> {
    const job = await this.#jobOf(origin, jobId);
    if (typeof job === 'string') return refused(job);
    if (!isOver(job)) return refused('still_running');
    const { db, intake } = this.#options;
    const { canRetry, capability } = jobView(job);
    if (!canRetry) return refused('pointless');
    const request = await retryRequest(origin, job, await listJobInputs(db.kysely, jobId));
    if (!request) return refused('inputs_gone');
    const outcome = await intake.accept(request);
    const isDouble = !outcome.accepted && outcome.refusal.reason === 'already_retrying';
    return isDouble ? refused('already_retrying') : { outcome: 'retried', capability, intake: outcome };
  }

  /** Cancels a job. If it has not been sent to the service yet, it ends; otherwise its result is not shown. */
  async cancel(origin: CallOrigin, jobId: string): Promise<TookBack | DeskRefused> {
    const job = await this.#jobOf(origin, jobId);
    if (typeof job === 'string') return refused(job);
    return (await cancelJob(job, this.#options)) ?? refused('ended');
  }

  /** Confirms the price of a job that is waiting for confirmation. Only the member who requested the job may do so. */
  async confirm(origin: CallOrigin, jobId: string): Promise<Confirmed | DeskRefused> {
    const job = await findJob(this.#options.db.kysely, jobId);
    if (!job || !isSeenIn(job, origin)) return refused('not_found');
    if (job.user_id !== origin.userId) return refused('not_the_asker');
    const done = await confirmPrice(job, this.#options);
    return done === 'overrun' ? refused('overrun_unseen') : (done ?? refused('ended'));
  }

  /** Removes a job's message and files. A job that is already at the service continues without a card. */
  async remove(origin: CallOrigin, jobId: string): Promise<TookBack | DeskRefused> {
    const job = await this.#jobOf(origin, jobId);
    return typeof job === 'string' ? refused(job) : deleteJob(job, this.#options);
  }

  /** Reports a result to the guild's moderators. */
  async report(origin: CallOrigin, jobId: string): Promise<Reported | DeskRefused> {
    const { db, clock, log, moderators } = this.#options;
    const job = await findJob(db.kysely, jobId);
    if (!job || !isSeenIn(job, origin)) return refused('not_found');
    if (job.outcome !== 'succeeded' || job.taken_back !== null) return refused('no_result');
    const report = {
      id: randomId('report'),
      job_id: jobId,
      guild_id: job.guild_id,
      reporter_id: origin.userId,
      created_at_ms: clock.now(),
    };
    const { inserted, isFirst } = await db.transaction(`guild:${job.guild_id}`, (trx) =>
      insertReport(trx, report),
    );
    if (isFirst) {
      const { capability, userId: ownerId, message } = jobView(job);
      const note = { reportId: report.id, jobId, capability, ownerId, message };
      const notified = await moderators?.notify({
        ...note,
        guildId: job.guild_id,
        reporterId: origin.userId,
      });
      log.warn(
        { jobId, guildId: job.guild_id, reportId: report.id, notified: notified === true },
        'A result was reported',
      );
    }
    return { outcome: 'reported', isNew: inserted };
  }

  /** Returns the job if the member may act on it; otherwise the reason why not. */
  async #jobOf(origin: CallOrigin, jobId: string): Promise<JobRow | DeskRefusal> {
    const job = await findJob(this.#options.db.kysely, jobId);
    if (!job || !isSeenIn(job, origin)) return 'not_found';
    return job.user_id === origin.userId || origin.isModerator ? job : 'not_yours';
  }
}

/**
 * Returns whether the caller may know of the job. Jobs from other guilds, deleted jobs and abandoned jobs are hidden.
 */
function isSeenIn(job: JobRow, origin: CallOrigin): boolean {
  return job.guild_id === origin.guildId && job.taken_back !== 'deleted' && job.stage !== 'abandoned';
}

function refused(why: DeskRefusal): DeskRefused {
  return { outcome: 'refused', why };
}
