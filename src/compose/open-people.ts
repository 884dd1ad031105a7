import type { Client } from 'discord.js';
import type { Database } from '../../db/database.ts';
import { Access } from '../bot/people/access/access.ts';
import type { CommandServices } from '../bot/discord/command.ts';
import { DiscordGuilds } from '../bot/discord/wire/guild-presence.ts';
import { JOB_LIMITS } from '../bot/jobs/job-limits.ts';
import type { Jobs } from '../bot/jobs/jobs.ts';
import type { InputFetcher, JobPublisher } from '../bot/jobs/ports.ts';
import { Members } from '../bot/people/members/members.ts';
import type { FacePictures } from '../bot/people/members/ports.ts';
import type { Ledger } from '../bot/money/ledger/ledger.ts';
import type { Basics } from './basics.ts';

export interface People {
  readonly access: Access;
  readonly members: Members;
  readonly services: Pick<CommandServices, 'access' | 'faces' | 'consents' | 'privacy'>;
}

interface PeopleParts {
  readonly db: Database;
  readonly client: Client;
  readonly fetcher: InputFetcher;
  readonly publisher: JobPublisher;
  readonly media: FacePictures;
  readonly ledger: Ledger;
  /** There once everything is built. */
  readonly jobs: () => Jobs;
  /** Whoever listens to the member in a voice channel stops at once. */
  readonly unhear: (userId: string) => void;
}

/** Opens the rules of guilds, and what members saved and wish. */
export async function openPeople(
  { options, owned, clock, log }: Basics,
  parts: PeopleParts,
): Promise<People> {
  const { db, client, fetcher, publisher, media, ledger, jobs, unhear } = parts;
  const { dataDir = './data', accessDefaults, departedKeepMs, jobLimits } = options;
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
      removeJobFiles: (jobIds) => jobs().removeFiles(jobIds),
      unhear,
      nudgeJobs: () => jobs().nudge(),
      resultKeepMs: jobLimits?.resultKeepMs ?? JOB_LIMITS.resultKeepMs,
    }),
  );
  const { faces, consents, privacy } = members;
  return { access, members, services: { access, faces, consents, privacy } };
}
