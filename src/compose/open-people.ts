import type { Client } from 'discord.js';
import type { Database } from '../../db/database.ts';
import { DiscordGuilds } from '../bot/discord/wire/discord-guilds.ts';
import type { InputFetcher } from '../bot/jobs/inputs/input-fetcher.ts';
import { JOB_LIMITS } from '../bot/jobs/job-limits.ts';
import type { JobPublisher } from '../bot/jobs/job-publisher.ts';
import type { JobFiles } from '../bot/jobs/results/job-files.ts';
import type { MediaPool } from '../bot/media/pool/media-pool.ts';
import type { Ledger } from '../bot/money/ledger/ledger.ts';
import { Access } from '../bot/people/access/access.ts';
import { Members } from '../bot/people/members/members.ts';
import type { Basics } from './basics.ts';

export interface People {
  readonly access: Access;
  readonly members: Members;
}

interface PeopleParts {
  readonly db: Database;
  readonly dataDir: string;
  readonly client: Client;
  readonly fetcher: InputFetcher;
  readonly publisher: JobPublisher;
  readonly media: MediaPool;
  readonly ledger: Ledger;
  readonly files: JobFiles;
}

/** Opens the guilds' rules, and the members' faces, consents and data. */
export async function openPeople(basics: Basics, parts: PeopleParts): Promise<People> {
  const { options, owned, clock, log } = basics;
  const { db, dataDir, client, fetcher, publisher, media, ledger, files } = parts;
  const { accessDefaults, departedKeepMs, jobLimits } = options;
  const access = await Access.open({ db, clock, defaults: accessDefaults });
  const members = owned.use(
    await Members.open({
      db,
      dataDir,
      clock,
      log,
      fetcher,
      pictures: media,
      departedKeepMs,
      publisher,
      presence: new DiscordGuilds(client),
      pseudonymOf: access.pseudonymOf,
      limitSpanOf: (trx, guildId) => ledger.limitSpan(trx, guildId),
      removeJobFiles: (jobIds) => files.removeAll(jobIds),
      resultKeepMs: jobLimits?.resultKeepMs ?? JOB_LIMITS.resultKeepMs,
    }),
  );
  return { access, members };
}
