import type { Client } from 'discord.js';
import type { Database } from '../../db/database.ts';
import { DiscordModeratorNotes } from '../bot/discord/cards/moderator-notes.ts';
import { ChannelFiles } from '../bot/discord/wire/newest-file.ts';
import type { RequestGuard } from '../bot/discord/wire/request-guard.ts';
import { Jobs } from '../bot/jobs/jobs.ts';
import type { InputFetcher, JobPublisher } from '../bot/jobs/ports.ts';
import type { Ledger } from '../bot/money/ledger/ledger.ts';
import type { SpendingGate } from '../bot/money/ledger/spending-gate.ts';
import type { MediaPool } from '../bot/media/pool/media-pool.ts';
import type { MediaApi } from '../media-api/media-api.ts';
import { callbackUrl, memberUrl } from './addresses.ts';
import type { People } from './open-people.ts';
import type { WebPart } from './web-part.ts';
import type { Basics } from './basics.ts';

interface JobsParts {
  readonly db: Database;
  readonly client: Client;
  readonly guard: RequestGuard;
  readonly api: MediaApi;
  readonly ledger: Ledger;
  readonly fetcher: InputFetcher;
  readonly media: MediaPool;
  readonly publisher: JobPublisher;
  readonly people: People;
  readonly web: WebPart;
  readonly spending: SpendingGate;
}

/** Opens the pipeline from commands to posted results. */
export function openJobs({ options, clock, log }: Basics, parts: JobsParts): Promise<Jobs> {
  const { db, client, guard, api, ledger, fetcher, media, publisher, people, web, spending } = parts;
  const { dataDir = './data' } = options;
  const channelOf = (guildId: string): Promise<string | null> => people.access.reportsChannelOf(guildId);
  return Jobs.open({
    db,
    dataDir,
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
    callbackUrl: callbackUrl(options, web),
    publicUrl: memberUrl(options, web),
    moderators: new DiscordModeratorNotes({ client, guard, clock, log, channelOf }),
    prices: options.prices,
    limits: options.jobLimits,
    onStep: options.onStep,
    gates: [people.access, people.members.consents],
    spending,
  });
}
