import type { Clock, Timer } from '../base/clock.ts';
import { Disposer } from '../base/disposer.ts';
import { randomId } from '../base/ids.ts';
import type { Logger } from '../base/log.ts';
import type { Database } from '../../db/database.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { MediaApi } from '../media-api/media-api.ts';
import { Intake } from './intake.ts';
import { JobFiles } from './job-files.ts';
import { removeOldResults } from './old-results.ts';
import { JOB_LIMITS, type JobLimits } from './job-limits.ts';
import type { AccessGate, InputFetcher, JobIntake, JobPublisher } from './ports.ts';
import { Quotes } from './quote.ts';
import { TypicalTimes } from './typical-times.ts';
import { WebhookInbox } from './webhook-inbox.ts';
import { type StepEvent, Worker } from './worker.ts';

export interface JobsOptions {
  readonly db: Database;
  readonly ledger: Ledger;
  readonly api: MediaApi;
  readonly fetcher: InputFetcher;
  readonly publisher: JobPublisher;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly callbackUrl?: ((callbackToken: string) => string) | undefined;
  readonly limits?: Partial<JobLimits> | undefined;
  readonly onStep?: ((event: StepEvent) => void) | undefined;
  /** Who may use the bot for what. Default: everybody for everything. */
  readonly gates?: readonly AccessGate[] | undefined;
}

const HOUSEKEEPING_MS = 3_600_000;

/** The durable pipeline from command to posted result, put together. Work starts with `start`. */
export class Jobs implements AsyncDisposable {
  readonly intake: JobIntake;
  readonly inbox: WebhookInbox;
  readonly #worker: Worker;
  readonly #quotes: Quotes;
  readonly #typical: TypicalTimes;
  readonly #options: JobsOptions;
  readonly #limits: JobLimits;
  readonly #files: JobFiles;
  readonly #owned = new Disposer();
  #housekeeping: Timer | undefined;

  private constructor(options: JobsOptions, files: JobFiles) {
    const { db, ledger, api, fetcher, publisher, clock, log } = options;
    const limits = { ...JOB_LIMITS, ...options.limits };
    this.#limits = limits;
    this.#files = files;
    const nudge = (): void => this.#worker.nudge();
    this.#options = options;
    this.#quotes = this.#owned.use(new Quotes({ api, clock, log }));
    this.#typical = new TypicalTimes(db);
    this.inbox = new WebhookInbox({ db, clock, log, nudge });
    this.intake = new Intake({
      db,
      ledger,
      quotes: this.#quotes,
      limits,
      clock,
      log,
      nudge,
      gates: options.gates,
    });
    this.#worker = this.#owned.use(
      new Worker({
        owner: randomId('worker'),
        ...(options.onStep ? { onStep: options.onStep } : {}),
        context: {
          db,
          ledger,
          api,
          fetcher,
          publisher,
          files,
          limits,
          clock,
          log,
          typical: this.#typical,
          inbox: this.inbox,
          callbackUrl: options.callbackUrl,
        },
      }),
    );
  }

  /** Removes every file that is kept of these jobs. */
  removeFiles(jobIds: readonly string[]): Promise<void> {
    return this.#files.removeAll(jobIds);
  }

  /** Has withdrawn jobs looked at now. */
  nudge(): void {
    this.#worker.nudge();
  }

  static async open(options: JobsOptions): Promise<Jobs> {
    return new Jobs(options, await JobFiles.open(options.dataDir));
  }

  /** Whether the service has told its rates. */
  get ratesKnown(): boolean {
    return this.#quotes.known;
  }

  /** Learns rates and typical times, then takes up every job that is not settled. Throws the signal's reason. */
  async start(signal?: AbortSignal): Promise<void> {
    await this.#typical.learn();
    await this.#quotes.start(signal);
    signal?.throwIfAborted();
    this.#keepHouse();
    this.#worker.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#housekeeping?.cancel();
    await this.#owned[Symbol.asyncDispose]();
  }

  #keepHouse(): void {
    const { clock, log } = this.#options;
    const keepMs = this.#limits.resultKeepMs;
    Promise.all([this.inbox.purge(), removeOldResults(this.#options.db, { clock, keepMs })]).catch(
      (error: unknown) => log.error({ error }, 'Cannot remove what is no longer needed'),
    );
    this.#housekeeping = clock.after(HOUSEKEEPING_MS, () => this.#keepHouse(), { background: true });
  }
}
