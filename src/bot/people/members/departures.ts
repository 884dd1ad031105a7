import type { Clock } from '../../../base/clock.ts';
import { randomId } from '../../../base/ids.ts';
import type { Logger } from '../../../base/log.ts';
import type { Database } from '../../../../db/database.ts';
import { listKnownGuilds, withdrawJobs } from '../../../../db/queries/personal-data.ts';
import {
  deleteDeparture,
  insertRemoval,
  listDepartures,
  putDeparture,
} from '../../../../db/queries/removals.ts';
import type { GuildPresence } from './guild-presence.ts';

interface DeparturesOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly presence: GuildPresence;
  /** How long a guild's data is kept after the bot has left it, in milliseconds. */
  readonly keepMs: number;
}

const GUILDS_MAX = 10_000;
const PURGES_AT_ONCE = 100;

/** Records which guilds the bot has left, and starts the removal of their data when it is due. */
export class Departures {
  readonly #options: DeparturesOptions;

  constructor(options: DeparturesOptions) {
    this.#options = options;
  }

  /** Records that the bot was removed from a guild, or added to one. */
  async note(guildId: string, isIn: boolean): Promise<void> {
    const { db, clock } = this.#options;
    if (isIn) await deleteDeparture(db.kysely, guildId);
    else await putDeparture(db.kysely, guildId, clock.now());
  }

  /** Finds departures that happened while the program was not running, and starts the removals that are due. */
  async look(): Promise<void> {
    const { db, clock, presence, keepMs } = this.#options;
    for (const guildId of await listKnownGuilds(db.kysely, GUILDS_MAX)) {
      const isIn = presence.isIn(guildId);
      if (isIn !== null) await this.note(guildId, isIn);
    }
    const beforeMs = clock.now() - keepMs;
    const due = await listDepartures(db.kysely, { beforeMs, limit: PURGES_AT_ONCE });
    for (const guildId of due) {
      if (presence.isIn(guildId) === false) await this.#purge(guildId);
    }
  }

  async #purge(guildId: string): Promise<void> {
    const { db, clock, log } = this.#options;
    const subject = { kind: 'guild', subjectId: guildId } as const;
    await db.transaction(`guild:${guildId}`, async (trx) => {
      const nowMs = clock.now();
      await insertRemoval(trx, { ...subject, secret: randomId('s'), nowMs });
      await withdrawJobs(trx, { ...subject, untilMs: nowMs }, nowMs);
    });
    log.info({ guildId }, 'The data of a server that was left is being removed');
  }
}
