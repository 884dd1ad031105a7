import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import type { Database } from '../../../../db/database.ts';
import type { InputFetcher, JobPublisher } from '../../jobs/ports.ts';
import { Caretaker } from './caretaker.ts';
import { ConsentStore } from './consents.ts';
import { Departures } from './departures.ts';
import { FaceBin } from './face-bin.ts';
import { FaceFiles } from './face-files.ts';
import { FaceStore } from './faces.ts';
import type { FacePictures, GuildPresence, LimitSpanOf } from './ports.ts';
import { PrivacyDesk } from './privacy.ts';

interface MembersOptions {
  readonly db: Database;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly fetcher: InputFetcher;
  readonly pictures: FacePictures;
  readonly publisher: Pick<JobPublisher, 'remove'>;
  readonly presence: GuildPresence;
  /** Returns the pseudonym under which a member's blocks and limits stay after a deletion. */
  readonly pseudonymOf: (userId: string) => string;
  readonly limitSpanOf: LimitSpanOf;
  readonly removeJobFiles: (jobIds: readonly string[]) => Promise<void>;
  /** Whoever listens to the member in a voice channel stops at once. */
  readonly unhear: (userId: string) => void;
  /** Jobs were withdrawn: whoever works on them looks now. */
  readonly nudgeJobs: () => void;
  readonly resultKeepMs: number;
  /** How long the data of a guild is kept that the bot has left. Default 30 days. */
  readonly departedKeepMs?: number | undefined;
}

const DEPARTED_KEEP_MS = 30 * 86_400_000;

/** Saved faces, consents and privacy of members, put together. Removals go on from `start`. */
export class Members implements AsyncDisposable {
  readonly faces: FaceStore;
  readonly consents: ConsentStore;
  readonly privacy: PrivacyDesk;
  readonly #caretaker: Caretaker;

  private constructor(options: MembersOptions, files: FaceFiles) {
    const { db, clock, log, fetcher, pictures, presence } = options;
    this.faces = new FaceStore({ db, files, fetcher, pictures, clock });
    this.consents = new ConsentStore({ db, clock });
    const keepMs = options.departedKeepMs ?? DEPARTED_KEEP_MS;
    this.#caretaker = new Caretaker({
      db,
      clock,
      log,
      presence,
      pseudonymOf: options.pseudonymOf,
      limitSpanOf: options.limitSpanOf,
      publisher: options.publisher,
      removeJobFiles: options.removeJobFiles,
      faceBin: new FaceBin({ db, files, clock }),
      departures: new Departures({ db, clock, log, presence, keepMs }),
    });
    const nudge = (): void => {
      options.nudgeJobs();
      this.#caretaker.nudge();
      db.changes.tell('removals');
    };
    const { pseudonymOf, unhear, resultKeepMs } = options;
    this.privacy = new PrivacyDesk({ db, clock, pseudonymOf, unhear, nudge, resultKeepMs });
  }

  static async open(options: MembersOptions): Promise<Members> {
    return new Members(options, await FaceFiles.open(options.dataDir));
  }

  /** The chat is connected: takes up removals, also those that a crash interrupted. */
  start(): void {
    this.#caretaker.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#caretaker[Symbol.asyncDispose]();
  }
}
