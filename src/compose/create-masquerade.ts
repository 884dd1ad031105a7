import type { Client } from 'discord.js';
import { type Database, openDatabase } from '../../db/database.ts';
import { Confinement } from '../base/children/confinement.ts';
import { openPseudonyms } from '../../db/pseudonyms.ts';
import { systemClock } from '../base/clock.ts';
import { Disposer } from '../base/disposer.ts';
import { ServiceError } from '../base/errors.ts';
import { silentLogger } from '../base/log.ts';
import { isConnected, openDiscord, openStage, publishCommands, whenReady } from './open-discord.ts';
import { openApi } from './open-api.ts';
import { openJobs } from './open-jobs.ts';
import { type Money, openMoney } from './open-money.ts';
import { type OperatorPart, openOperator } from './open-operator.ts';
import { type People, openPeople } from './open-people.ts';
import { openReconciliation } from './open-reconciliation.ts';
import { type PaidParts, openSessions } from './open-sessions.ts';
import { openWeb } from './open-web.ts';
import type { Basics } from './basics.ts';
import { AttachmentFetcher } from '../bot/discord/wire/attachment-fetcher.ts';
import type { CommandServices } from '../bot/discord/command.ts';
import { Dispatch } from '../bot/discord/interactions/dispatch.ts';
import { DiscordPublisher } from '../bot/discord/cards/publisher.ts';
import { RequestGuard } from '../bot/discord/wire/request-guard.ts';
import type { Jobs } from '../bot/jobs/jobs.ts';
import { MediaPool } from '../bot/media/pool/media-pool.ts';
import type { Members } from '../bot/people/members/members.ts';
import type { Masquerade, MasqueradeOptions } from './masquerade-options.ts';
import type { Reconciliation } from '../bot/money/reconciliation/reconciliation.ts';
import { HANDLERS } from '../../commands/all.ts';
import type { Readiness } from '../bot/web/health.ts';

/** The bot was disposed before it was ready. */
class BotError extends ServiceError<'disposed'> {}

/**
 * Builds the bot from its parts and starts it. A client that it made is logged in when this returns. Throws a
 * `ServiceError` with one clear line when a part cannot be had; whatever was opened by then is closed again.
 */
export async function createMasquerade(options: MasqueradeOptions): Promise<Masquerade> {
  const { clock = systemClock, logger: log = silentLogger } = options;
  const owned = new Disposer();
  try {
    return await build({ options, owned, clock, log });
  } catch (error) {
    await owned[Symbol.asyncDispose]();
    throw error;
  }
}

async function build(parts: Basics): Promise<Masquerade> {
  const { options, owned, clock, log } = parts;
  const { dataDir = './data', databaseUrl = `sqlite:${dataDir}/masquerade.db` } = options;
  const db = owned.use(await openDatabase({ url: databaseUrl, clock, logger: log }));
  const web = openWeb(parts);
  const discord = openDiscord(parts);
  const { client } = discord;
  const stage = openStage(parts);
  const guard = owned.use(new RequestGuard({ rest: client.rest, clock, log }));
  const confinement = new Confinement({ log });
  const media = options.mediaPool ?? owned.use(new MediaPool({ confinement, clock, log }));
  const pseudonymOf = await openPseudonyms(db.kysely);
  const money = openMoney(parts, { db, confinement, pseudonymOf });
  const { ledger, budgets: allowances } = money;
  const fetcher = owned.use(new AttachmentFetcher({ hosts: options.attachmentHosts, clock }));
  const api = openApi(parts, db, (state) => operator.operator.heardOfKey(state));
  const operator: OperatorPart = openOperator(parts, { db, client, guard, api, ledger, allowances });
  const spending = operator.operator.gate;
  const publisher = owned.use(new DiscordPublisher({ client, guard, clock, log }));
  const people = await openPeople(parts, {
    db,
    client,
    fetcher,
    publisher,
    media,
    ledger,
    jobs: () => jobs,
    unhear: (userId) => paid.forget(userId),
  });
  const shared = { db, client, guard, api, ledger, fetcher, media, people, web, spending };
  const jobs: Jobs = owned.use(await openJobs(parts, { ...shared, publisher }));
  const paid: PaidParts = await openSessions(parts, {
    ...shared,
    stageClient: stage?.client ?? null,
    jobs,
    money,
    onUnnamed: () => reconciliation.soon(),
  });
  const reconciliation: Reconciliation = openReconciliation(parts, {
    db,
    api,
    ledger,
    operator: operator.operator,
  });
  const readiness = (): Promise<Readiness> => readinessOf(db, client, jobs);
  const services = servicesOf(jobs, { money, people, operator, paid });
  const dispatch = owned.use(new Dispatch({ client, ...HANDLERS, services, clock, log }));
  // Routes cannot be taken back from a host's server, so whatever else may fail comes before them.
  await discord.login?.();
  await stage?.login?.();
  await web.serve(jobs, paid.liveSwap, readiness);
  const ready = start(parts, {
    client,
    jobs,
    paid,
    members: people.members,
    operator,
    reconciliation,
    dispatch,
  });
  if (discord.login) await ready;
  const dispose = (): Promise<void> => owned[Symbol.asyncDispose]();
  const { budget } = money.services;
  const webUrl = web.url();
  return { client, webUrl, ready, budget, reconciliation, readiness, [Symbol.asyncDispose]: dispose };
}

interface Offering {
  readonly money: Money;
  readonly people: People;
  readonly operator: OperatorPart;
  readonly paid: PaidParts;
}

/** All that commands can ask for. */
function servicesOf(jobs: Jobs, offering: Offering): CommandServices {
  const { money, people, operator } = offering;
  const { voice, liveSwap } = offering.paid;
  const { intake, desk, voices, picks, results, fileLimits } = jobs;
  const ofJobs = { intake, desk, voices, picks, results, fileLimits };
  return { ...ofJobs, voice, liveSwap, ...money.services, ...people.services, ...operator.services };
}

interface Started {
  readonly client: Client;
  readonly jobs: Jobs;
  readonly paid: PaidParts;
  readonly members: Members;
  readonly operator: OperatorPart;
  readonly reconciliation: Reconciliation;
  readonly dispatch: Dispatch;
}

/** Takes up work once the client is ready. Disposing ends it and waits until it has ended. */
function start(parts: Basics, started: Started): Promise<void> {
  const { client, jobs, paid, members, operator, reconciliation, dispatch } = started;
  const { live, voice } = paid;
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    const readyClient = await whenReady(client, signal);
    await jobs.start(signal);
    live.start();
    voice.begin();
    members.start();
    operator.start();
    reconciliation.start();
    await publishCommands(parts, readyClient, dispatch, signal);
  };
  const ready = run().catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error;
  });
  const ended = ready.catch((error: unknown) => {
    if (!signal.aborted) parts.log.error({ error }, 'Cannot start');
  });
  parts.owned.defer(() => {
    stopping.abort(new BotError('disposed', 'Cannot start: the bot was disposed'));
    return ended;
  });
  // Before anything else, whatever that takes: open sockets cost money.
  parts.owned.defer(() => live.sessions[Symbol.asyncDispose]());
  return ready;
}

async function readinessOf(db: Database, client: Client, jobs: Jobs): Promise<Readiness> {
  const database = await db.kysely
    .selectFrom('settings')
    .select('name')
    .limit(1)
    .execute()
    .then(() => true)
    .catch(() => false);
  return { database, discord: isConnected(client), media_api: jobs.ratesKnown };
}
