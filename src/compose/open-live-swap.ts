import type { Client } from 'discord.js';
import type { Database } from '../../db/database.ts';
import { DiscordGuildMembers } from '../bot/discord/wire/discord-guild-members.ts';
import type { JobFiles } from '../bot/jobs/results/job-files.ts';
import type { Jobs } from '../bot/jobs/jobs.ts';
import type { Ledger } from '../bot/money/ledger/ledger.ts';
import type { SpendingGate } from '../bot/money/ledger/spending-gate.ts';
import { ConsentBook } from '../bot/sessions/consent-book.ts';
import type { PaidSessions } from '../bot/sessions/paid-sessions.ts';
import { jpegCodec } from '../bot/sessions/live-swap/jpeg-codec.ts';
import { liveConsentText } from '../bot/sessions/live-swap/live-consent-text.ts';
import { LIVE_SWAP_LIMITS } from '../bot/sessions/live-swap/live-swap-limits.ts';
import { LiveSwap } from '../bot/sessions/live-swap/live-swap.ts';
import type { MediaPool } from '../bot/media/pool/media-pool.ts';
import type { MediaApi } from '../media-api/media-api.ts';
import type { WebAddresses } from './web-addresses.ts';
import type { People } from './open-people.ts';
import type { Basics } from './basics.ts';
import type { InputFetcher } from '../bot/jobs/inputs/input-fetcher.ts';

export interface LiveSwapParts {
  readonly db: Database;
  readonly client: Client;
  readonly api: MediaApi;
  readonly jobs: Jobs;
  readonly paid: PaidSessions;
  readonly ledger: Ledger;
  readonly fetcher: InputFetcher;
  readonly media: MediaPool;
  readonly people: People;
  readonly spending: SpendingGate;
  readonly files: JobFiles;
  readonly addresses: WebAddresses;
}

/** Opens live swaps. On disposal, their sockets close before the parts that they need. */
export function openLiveSwap({ options, owned, clock, log }: Basics, parts: LiveSwapParts): LiveSwap {
  const { db, client, api, jobs, paid, ledger, fetcher, media, people, spending, files } = parts;
  const { access, members } = people;
  const { liveCodec } = options;
  const service = URL.parse(options.mediaApi.baseUrl)?.host ?? 'the media service';
  return owned.use(
    new LiveSwap({
      db,
      clock,
      log,
      api,
      paid,
      codec: liveCodec === 'jpeg' ? jpegCodec : liveCodec,
      service,
      publicUrl: parts.addresses.memberUrl,
      consents: new ConsentBook({ db, clock, text: liveConsentText(service) }),
      rules: access,
      members: new DiscordGuildMembers(client),
      wishes: members.consents,
      faces: members.faces,
      savedFaces: members.faces,
      fetcher,
      media,
      arrivalPath: (name) => files.arrivalPath(name, 'face'),
      megapixelsMax: jobs.fileLimits.megapixelsMax,
      quotes: jobs.sessionQuotes,
      priceOf: (seconds) => jobs.sessionQuotes.priceOfSession('live_swap_pro', seconds),
      ledger,
      spending,
      limits: { ...LIVE_SWAP_LIMITS, ...options.liveSwapLimits },
    }),
  );
}
