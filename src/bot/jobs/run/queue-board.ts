import type { Clock, Timer } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import type { Database } from '../../../../db/database.ts';
import { lineOf, listLine } from '../../../../db/queries/job-lines.ts';
import { isUnderWay } from '../../../../db/queries/jobs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import { CAPABILITIES } from '../../../media-api/wire.ts';
import { progressCard } from '../steps/progress-card.ts';
import { replyTarget } from '../steps/reply-target.ts';
import type { TypicalTimes } from '../prices/typical-times.ts';
import type { JobPublisher } from '../job-publisher.ts';

interface QueueBoardOptions {
  readonly db: Database;
  readonly publisher: JobPublisher;
  readonly typical: TypicalTimes;
  /** Returns whether a step of the job is running in this process. Such a step shows its own progress. */
  readonly isWorkedOn: (jobId: string) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

const LOOK_MS = 5_000;
/**
 * The number of jobs in each line whose place is shown. A member whose job is further back would gain little from
 * knowing the place.
 */
const SHOWN_PER_LINE = 200;
/**
 * The maximum number of cards that change in one round, starting with the first jobs in line. It is low because all of
 * the bot's actions share Discord's rate limit.
 */
const CHANGES_MAX = 20;
/**
 * The lines in which a job waits before it reaches the service: for its files, for the rate limit, and for capacity.
 */
const LINES = ['accepted', 'fetched', ...CAPABILITIES.map((capability) => lineOf('submitting', capability))];

/**
 * Shows members their job's place in its line. Each round reads every line once, however many jobs are waiting, and
 * changes a card only if the job's place has changed.
 */
export class QueueBoard implements AsyncDisposable {
  readonly #options: QueueBoardOptions;
  #shown: ReadonlyMap<string, number> = new Map();
  #timer: Timer | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: QueueBoardOptions) {
    this.#options = options;
  }

  /** Starts a round every 5 s. */
  start(): void {
    const { clock, log } = this.#options;
    this.#timer = clock.after(
      LOOK_MS,
      () => {
        this.#looking = this.#look()
          .catch((error: unknown) => log.warn({ error }, 'Cannot show members their place in line'))
          .finally(() => this.#isClosed || this.start());
      },
      { background: true },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { db, clock } = this.#options;
    const shown = new Map<string, number>();
    let changes = 0;
    for (const line of LINES) {
      const waiting = await listLine(db.kysely, line, SHOWN_PER_LINE);
      for (const [index, job] of waiting.entries()) {
        const before = this.#shown.get(job.id);
        const position = roughly(index + 1);
        const isNew = before !== position && clock.now() - job.due_at_ms >= LOOK_MS;
        if (isNew && changes < CHANGES_MAX && this.#show(job, position)) {
          changes += 1;
          shown.set(job.id, position);
        } else if (before !== undefined) shown.set(job.id, before);
      }
    }
    this.#shown = shown;
  }

  #show(job: JobRow, position: number): boolean {
    const { db, publisher, typical, isWorkedOn } = this.#options;
    if (job.taken_back !== null || isWorkedOn(job.id)) return false;
    const card = { ...progressCard(job, 'queued', typical), position };
    publisher.showProgress(replyTarget(job), card, () => isUnderWay(db.kysely, job.id));
    return true;
  }
}

/**
 * Leaves places up to 10 unchanged and rounds all others up: to a multiple of 5 for places up to 50, otherwise to a
 * multiple of 50.
 */
function roughly(position: number): number {
  const step = position <= 10 ? 1 : position <= 50 ? 5 : 50;
  return Math.ceil(position / step) * step;
}
