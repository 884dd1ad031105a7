import type { Client } from 'discord.js';
import type { Database } from '../../db/database.ts';
import { DiscordModeratorNotes } from '../bot/discord/cards/discord-moderator-notes.ts';
import { ChannelFiles } from '../bot/discord/wire/channel-files.ts';
import type { RequestGuard } from '../bot/discord/wire/request-guard.ts';
import type { InputFetcher } from '../bot/jobs/inputs/input-fetcher.ts';
import type { JobPublisher } from '../bot/jobs/job-publisher.ts';
import { Jobs } from '../bot/jobs/jobs.ts';
import type { JobFiles } from '../bot/jobs/results/job-files.ts';
import type { MediaPool } from '../bot/media/pool/media-pool.ts';
import type { Ledger } from '../bot/money/ledger/ledger.ts';
import type { SpendingGate } from '../bot/money/ledger/spending-gate.ts';
import type { MediaApi } from '../media-api/media-api.ts';
import type { Basics } from './basics.ts';
import type { People } from './open-people.ts';
import type { WebAddresses } from './web-addresses.ts';

interface JobsParts {
  readonly db: Database;
  readonly client: Client;
  readonly guard: RequestGuard;
  readonly api: MediaApi;
  readonly ledger: Ledger;
  readonly fetcher: InputFetcher;
  readonly media: MediaPool;
  readonly publisher: JobPublisher;
  readonly files: JobFiles;
  readonly people: People;
  readonly addresses: WebAddresses;
  readonly spending: SpendingGate;
}

/** Opens the pipeline from commands to posted results. */
export async function openJobs({ options, owned, clock, log }: Basics, parts: JobsParts): Promise<Jobs> {
  const { db, client, guard, api, ledger, fetcher, media, publisher, files, people, spending } = parts;
  const { callbackUrl, memberUrl } = parts.addresses;
  const channelOf = (guildId: string): Promise<string | null> => people.access.reportsChannelOf(guildId);
  return owned.use(
    await Jobs.open({
      db,
      files,
      clock,
      log,
      api,
      ledger,
      fetcher,
      media,
      newest: new ChannelFiles(client),
      savedFaces: people.members.faces,
      ownerWishes: people.members.consents,
      publisher,
      callbackUrl,
      publicUrl: memberUrl,
      moderators: new DiscordModeratorNotes({ client, guard, clock, log, channelOf }),
      prices: options.prices,
      limits: options.jobLimits,
      onStep: options.onStep,
      gates: [people.access, people.members.consents],
      spending,
    }),
  );
}
