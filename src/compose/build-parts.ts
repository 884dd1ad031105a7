import { type Database, openDatabase } from '../../db/database.ts';
import { openPseudonyms } from '../../db/pseudonyms.ts';
import { Confinement } from '../base/children/confinement.ts';
import { DiscordAlertChannels } from '../bot/discord/cards/discord-alert-channels.ts';
import { DiscordPublisher } from '../bot/discord/cards/discord-publisher.ts';
import { AttachmentFetcher } from '../bot/discord/wire/attachment-fetcher.ts';
import { RequestGuard } from '../bot/discord/wire/request-guard.ts';
import type { Jobs } from '../bot/jobs/jobs.ts';
import { JobFiles } from '../bot/jobs/results/job-files.ts';
import { MediaPool } from '../bot/media/pool/media-pool.ts';
import type { Reconciliation } from '../bot/money/reconciliation/reconciliation.ts';
import type { Operator } from '../bot/people/operator/operator.ts';
import type { MediaApi } from '../media-api/media-api.ts';
import type { Basics } from './basics.ts';
import { type Alerts, openAlerts } from './open-alerts.ts';
import { openApi } from './open-api.ts';
import { type DiscordPart, openDiscord, openStage } from './open-discord.ts';
import { openJobs } from './open-jobs.ts';
import { type Money, openMoney } from './open-money.ts';
import { openOperator } from './open-operator.ts';
import { type People, openPeople } from './open-people.ts';
import { openReconciliation } from './open-reconciliation.ts';
import { type Sessions, openSessions } from './open-sessions.ts';
import { type WebAddresses, webAddresses } from './web-addresses.ts';
import { WebPart } from './web-part.ts';
import { SETTING_DEFAULTS, defaultDatabaseUrl } from '../bot/settings/setting-defaults.ts';

/** The parts of the bot. Each is completely built, and none works before it is started. */
export interface BotParts {
  readonly db: Database;
  readonly web: WebPart;
  readonly addresses: WebAddresses;
  readonly discord: DiscordPart;
  /** The client of the second bot user; null if there is none. */
  readonly stage: DiscordPart | null;
  readonly api: MediaApi;
  readonly money: Money;
  readonly alerts: Alerts;
  readonly operator: Operator;
  readonly reconciliation: Reconciliation;
  readonly people: People;
  readonly jobs: Jobs;
  readonly sessions: Sessions;
}

/** Builds each part after the parts that it needs. `owned` disposes them. */
export async function buildParts(basics: Basics): Promise<BotParts> {
  const { options, owned, clock, log } = basics;
  const { dataDir = SETTING_DEFAULTS.storage.dataDir, databaseUrl = defaultDatabaseUrl(dataDir) } = options;
  const db = owned.use(await openDatabase({ url: databaseUrl, clock, logger: log }));
  const web = new WebPart(basics);
  const addresses = webAddresses(options, web);
  const discord = openDiscord(basics);
  const stage = openStage(basics);
  const { client } = discord;
  const guard = owned.use(new RequestGuard({ rest: client.rest, clock, log }));
  const confinement = new Confinement({ log });
  const media = options.mediaPool ?? owned.use(new MediaPool({ confinement, clock, log }));
  const pseudonymOf = await openPseudonyms(db.kysely);
  const files = await JobFiles.open(dataDir);

  const money = openMoney(basics, { db, confinement, pseudonymOf });
  const { ledger, budgets } = money;
  const fetcher = owned.use(new AttachmentFetcher({ hosts: options.attachmentHosts, clock }));
  const api = openApi(basics, db);
  const channel = new DiscordAlertChannels({ client, guard });
  const operator = openOperator(basics, { db, client, api, ledger, budgets, channel });
  const alerts = openAlerts(basics, { db, ledger, channel });
  const reconciliation = openReconciliation(basics, { db, api, ledger, operator });
  const publisher = owned.use(new DiscordPublisher({ client, guard, clock, log }));
  const chat = { client, guard, fetcher, publisher };
  const people = await openPeople(basics, { ...chat, db, dataDir, media, ledger, files });
  const spending = operator.gate;
  const shared = { ...chat, db, api, ledger, files, media, people, addresses, spending };
  const jobs = await openJobs(basics, shared);
  const stageClient = stage?.client ?? null;
  const sessions = await openSessions(basics, { ...shared, stageClient, jobs, money, reconciliation });
  const ways = { db, web, addresses, discord, stage, api };
  return { ...ways, money, alerts, operator, reconciliation, people, jobs, sessions };
}
