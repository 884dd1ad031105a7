import type { Clock, Timer } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import type { Database } from '../../../../db/database.ts';
import { lineOf, listLine } from '../../../../db/queries/job-lines.ts';
import { isUnderWay } from '../../../../db/queries/jobs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import { CAPABILITIES } from '../../../media-api/wire.ts';
import { progressCard, replyTarget } from '../steps/step.ts';
import type { TypicalTimes } from '../prices/typical-times.ts';
import type { JobPublisher } from '../job-publisher.ts';

interface QueueBoardOptions {
  readonly db: Database;
  readonly publisher: JobPublisher;
  readonly typical: TypicalTimes;
  /** Whether a step of the job runs in this process, and will tell of itself. */
  readonly isWorkedOn: (jobId: string) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

const LOOK_MS = 5_000;
/** Of each line: who is further behind learns nothing from a number. */
const SHOWN_PER_LINE = 200;
/** Cards changed per look, the foremost first: Discord's limit is for all that the bot does. */
const CHANGES_MAX = 20;
/** Before a job is at the service it waits here: for its files, for the rate of the key, for a place. */
const LINES = ['accepted', 'fetched', ...CAPABILITIES.map((capability) => lineOf('submitting', capability))];

/**
 * Tells members whose job waits in line which place it has. Reads each line once per look, however many wait, and
 * changes a card only when its number did.
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

  /** Looks every 5 s from now on. */
  start(): void {
    const { clock, log } = this.#options;
    this.#timer = clock.after(
      LOOK_MS,
      () => {
        this.#looking = this.#look()
          .catch((error: unknown) => log.warn({ error }, 'Cannot tell members their place in line'))
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

/** Near the front every place counts, further behind only about where: rounded up to fives, then to fifties. */
function roughly(position: number): number {
  const step = position <= 10 ? 1 : position <= 50 ? 5 : 50;
  return Math.ceil(position / step) * step;
}
