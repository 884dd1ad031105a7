import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import type { Database } from '../../../../db/database.ts';
import { Caretaker } from './caretaker.ts';
import { ConsentStore } from './consent-store.ts';
import { Departures } from './departures.ts';
import { FaceBin } from './face-bin.ts';
import { FaceFiles } from './face-files.ts';
import { FaceStore, type FacePictures } from './face-store.ts';
import { PrivacyDesk } from './privacy-desk.ts';
import type { InputFetcher } from '../../jobs/inputs/input-fetcher.ts';
import type { JobPublisher } from '../../jobs/job-publisher.ts';
import type { GuildPresence } from './guild-presence.ts';
import type { LimitSpanOf } from './gone-limits.ts';
import { SETTING_DEFAULTS } from '../../settings/setting-defaults.ts';

interface MembersOptions {
  readonly db: Database;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly fetcher: InputFetcher;
  readonly pictures: FacePictures;
  readonly publisher: Pick<JobPublisher, 'remove'>;
  readonly presence: GuildPresence;
  /** Returns the pseudonym under which a member's blocks and limits are kept after a deletion. */
  readonly pseudonymOf: (userId: string) => string;
  readonly limitSpanOf: LimitSpanOf;
  readonly removeJobFiles: (jobIds: readonly string[]) => Promise<void>;
  readonly resultKeepMs: number;
  /** How long the data of a guild is kept after the bot has left it, in milliseconds. Default: 30 days. */
  readonly departedKeepMs?: number | undefined;
}

const DEPARTED_KEEP_MS = SETTING_DEFAULTS.storage.departedKeepDays * 86_400_000;

/** Members' saved faces, consents and privacy. Removals run after `start` is called. */
export class Members implements AsyncDisposable {
  readonly faces: FaceStore;
  readonly consents: ConsentStore;
  readonly privacy: PrivacyDesk;
  readonly #caretaker: Caretaker;
  readonly #removalListeners = new Set<(userId: string) => void>();

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
    const onRemoval = (userId: string): void => {
      for (const listener of this.#removalListeners) listener(userId);
      this.#caretaker.nudge();
      db.changes.notify('removals');
    };
    const { pseudonymOf, resultKeepMs } = options;
    this.privacy = new PrivacyDesk({ db, clock, pseudonymOf, onRemoval, resultKeepMs });
  }

  static async open(options: MembersOptions): Promise<Members> {
    return new Members(options, await FaceFiles.open(options.dataDir));
  }

  /**
   * Calls `listener` with the id of each member who requests the removal of their data, once the request is stored. The
   * listener must end the member's sessions; the member's jobs have already been withdrawn.
   */
  onRemoval(listener: (userId: string) => void): Disposable {
    this.#removalListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#removalListeners.delete(listener) };
  }

  /** Continues removals, including those that a crash interrupted. Must be called when Discord is connected. */
  start(): void {
    this.#caretaker.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#caretaker[Symbol.asyncDispose]();
  }
}
