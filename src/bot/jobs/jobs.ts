import type { Clock, Timer } from '../../base/clock.ts';
import { Disposer } from '../../base/disposer.ts';
import { randomId } from '../../base/ids.ts';
import type { Logger } from '../../base/log.ts';
import type { Database } from '../../../db/database.ts';
import { purgeUploads } from '../../../db/queries/uploads.ts';
import type { Ledger } from '../money/ledger/ledger.ts';
import type { SpendingGate } from '../money/ledger/spending-gate.ts';
import type { MediaApi } from '../../media-api/media-api.ts';
import type { MediaPool } from '../media/pool/media-pool.ts';
import { Ceilings } from './prices/ceilings.ts';
import { JobDesk } from './desk/job-desk.ts';
import { clearDeleted, type ClearDeletedTools } from './desk/delete-job.ts';
import { Intake } from './intake/intake.ts';
import type { JobFiles } from './results/job-files.ts';
import { KeptResults } from './results/kept-results.ts';
import { removeOldFiles } from './results/remove-old-files.ts';
import type { ConfiguredPrices } from './prices/configured-prices.ts';
import { JOB_LIMITS, type JobLimits } from './job-limits.ts';
import { Picks } from './intake/picks.ts';
import { QueueBoard } from './run/queue-board.ts';
import { Quotes } from './prices/quote.ts';
import { ResultLinks } from './results/result-links.ts';
import { TypicalTimes } from './prices/typical-times.ts';
import { VoiceCatalog } from './voice-catalog.ts';
import { WebhookInbox } from './webhook-inbox.ts';
import { type StepEvent, Worker } from './run/worker.ts';
import type { ModeratorNotes } from './desk/moderator-notes.ts';
import type { AccessGate } from './intake/access-gate.ts';
import type { InputFetcher } from './inputs/input-fetcher.ts';
import type { JobPublisher } from './job-publisher.ts';
import type { OwnerWishes } from './inputs/owner-wishes.ts';
import type { NewestFile } from './inputs/newest-file.ts';
import type { SavedFaces } from './inputs/saved-faces.ts';

interface JobsOptions {
  readonly db: Database;
  readonly ledger: Ledger;
  readonly api: MediaApi;
  readonly fetcher: InputFetcher;
  /** Finds the newest file in a channel. If it is not set, inputs that refer to the newest file count as missing. */
  readonly newest?: NewestFile | undefined;
  /** Finds saved faces. If it is not set, inputs that refer to saved faces count as missing. */
  readonly savedFaces?: SavedFaces | undefined;
  /** Decides whose pictures may be used. If it is not set, everybody's may be used. */
  readonly ownerWishes?: OwnerWishes | undefined;
  readonly publisher: JobPublisher;
  /** Examines members' files and results. The caller must dispose it. */
  readonly media: MediaPool;
  /** The folders of inputs and results. */
  readonly files: JobFiles;
  readonly clock: Clock;
  readonly log: Logger;
  readonly callbackUrl?: ((callbackToken: string) => string) | undefined;
  /** Returns the public URL for a path on Masquerade's web server. Undefined if members cannot reach that server. */
  readonly publicUrl?: ((path: string) => string) | undefined;
  /** Prices for capabilities that the service's rate card does not have. Default: none. */
  readonly prices?: ConfiguredPrices | undefined;
  readonly limits?: Partial<JobLimits> | undefined;
  readonly onStep?: ((event: StepEvent) => void) | undefined;
  /** If `undefined`, members' reports about results only appear in the operator's log. */
  readonly moderators?: ModeratorNotes | undefined;
  /** The rules that decide who may use which command. Default: everybody may use all commands. */
  readonly gates?: readonly AccessGate[] | undefined;
  /**
   * Checks what the operator has paused, and the account balance at the service. Default: nothing is paused, and the
   * balance is not checked.
   */
  readonly spending?: SpendingGate | undefined;
}

const HOUSEKEEPING_MS = 3_600_000;
const PURGE_MAX = 10_000;

/** The durable pipeline from a command to its posted result. Nothing runs before `start`. */
export class Jobs implements AsyncDisposable {
  readonly intake: Intake;
  readonly desk: JobDesk;
  readonly links: ResultLinks;
  readonly inbox: WebhookInbox;
  readonly picks: Picks;
  readonly results: KeptResults;
  readonly voices: VoiceCatalog;
  readonly #worker: Worker;
  readonly #board: QueueBoard;
  readonly #quotes: Quotes;
  readonly #typical: TypicalTimes;
  readonly #options: JobsOptions;
  readonly #limits: JobLimits;
  readonly #clearing: ClearDeletedTools;
  readonly #owned = new Disposer();
  readonly #stopping = new AbortController();
  #housekeeping: Timer | undefined;
  #housework: Promise<unknown> = Promise.resolve();

  private constructor(options: JobsOptions, links: ResultLinks) {
    const { db, ledger, api, fetcher, publisher, clock, log, prices } = options;
    const limits = { ...JOB_LIMITS, ...options.limits };
    this.#limits = limits;
    this.links = links;
    const nudge = (): void => this.nudge();
    this.#options = options;
    this.#quotes = this.#owned.use(new Quotes({ api, db, clock, log, prices }));
    this.voices = this.#owned.use(new VoiceCatalog({ api, clock, log }));
    this.#typical = new TypicalTimes(db);
    this.inbox = new WebhookInbox({ db, clock, log, nudge });
    this.picks = new Picks({ db, clock });
    this.results = new KeptResults(db);
    const { gates, spending } = options;
    const quotes = this.#quotes;
    this.intake = new Intake({ db, ledger, quotes, limits, clock, log, nudge, gates, spending });
    const typical = this.#typical;
    this.#clearing = { db, publisher, log, clock };
    const { intake } = this;
    const { moderators } = options;
    this.desk = new JobDesk({ db, publisher, log, ledger, links, typical, clock, nudge, intake, moderators });
    this.#worker = this.#owned.use(
      new Worker({
        owner: randomId('worker'),
        ...(options.onStep ? { onStep: options.onStep } : {}),
        tools: {
          db,
          ledger,
          api,
          fetcher,
          newest: options.newest,
          savedFaces: options.savedFaces,
          ownerWishes: options.ownerWishes,
          quotes: this.#quotes,
          publisher,
          files: options.files,
          media: options.media,
          links,
          limits,
          spending,
          clock,
          log,
          typical: this.#typical,
          inbox: this.inbox,
          voices: this.voices,
          ceilings: new Ceilings({ clock, log }),
          callbackUrl: options.callbackUrl,
        },
      }),
    );
    const isWorkedOn = (jobId: string): boolean => this.#worker.isWorkingOn(jobId);
    const board = { db, publisher, typical: this.#typical, isWorkedOn, clock, log };
    this.#board = this.#owned.use(new QueueBoard(board));
  }

  /** Makes this process and the others look for due jobs now. */
  nudge(): void {
    this.#worker.nudge();
    this.#options.db.changes.notify('jobs');
  }

  static async open(options: JobsOptions): Promise<Jobs> {
    const { db, clock, publicUrl } = options;
    const lifeMs = options.limits?.resultLinkMs ?? JOB_LIMITS.resultLinkMs;
    const links = await ResultLinks.open({ db, clock, publicUrl, lifeMs });
    return new Jobs(options, links);
  }

  /** Whether the service's rates are known. */
  get ratesKnown(): boolean {
    return this.#quotes.known;
  }

  /** The quotes for sessions, which are not jobs. */
  get sessionQuotes(): Pick<Quotes, 'ofSession' | 'priceOfSession'> {
    return this.#quotes;
  }

  /** The limits for members' files. */
  get fileLimits(): {
    bytesMax: JobLimits['inputBytesMax'];
    secondsMax: JobLimits['inputSecondsMax'];
    megapixelsMax: number;
  } {
    const { inputBytesMax: bytesMax, inputSecondsMax: secondsMax, megapixelsMax } = this.#limits;
    return { bytesMax, secondsMax, megapixelsMax };
  }

  /**
   * Reads the rates and the typical times, then starts working on all open jobs. Throws the signal's reason if it
   * aborts.
   */
  async start(signal?: AbortSignal): Promise<void> {
    await this.#typical.learn();
    void this.voices.start();
    await this.#quotes.start(signal);
    signal?.throwIfAborted();
    this.#keepHouse();
    this.#worker.start();
    this.#owned.use(this.#options.db.changes.listen('jobs', () => this.#worker.nudge()));
    this.#board.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort(new Error('The pipeline stops'));
    this.#housekeeping?.cancel();
    await this.#owned[Symbol.asyncDispose]();
    await this.#housework;
  }

  #keepHouse(): void {
    const { db, clock, log, files } = this.#options;
    const { resultKeepMs: keepMs, stepMsMax } = this.#limits;
    const nowMs = clock.now();
    const { signal } = this.#stopping;
    const works = [
      this.inbox.purge(),
      this.picks.purge(),
      removeOldFiles(db, { clock, keepMs, signal }),
      clearDeleted(this.#clearing, signal),
      purgeUploads(db.kysely, { beforeMs: nowMs - keepMs, limit: PURGE_MAX }),
      files.removeOldArrivals(nowMs - stepMsMax),
    ];
    const failed = (error: unknown): void => log.error({ error }, 'Cannot remove what is no longer needed');
    this.#housework = Promise.all(works.map((work) => work.catch(failed)));
    this.#housekeeping = clock.after(HOUSEKEEPING_MS, () => this.#keepHouse(), { background: true });
  }
}
