import { type Client, Events } from 'discord.js';
import { type Database, openDatabase } from '../db/database.ts';
import { RateLog } from '../db/rate-log.ts';
import { Access } from './access/access.ts';
import { type Clock, systemClock } from './base/clock.ts';
import { Disposer } from './base/disposer.ts';
import { ServiceError } from './base/errors.ts';
import { derivedId } from './base/ids.ts';
import { type Logger, silentLogger } from './base/log.ts';
import { parseUsd } from './base/money.ts';
import { isLoopbackHost } from './base/public-address.ts';
import { AttachmentFetcher } from './discord/attachment-fetcher.ts';
import { createClient } from './discord/client.ts';
import type { CommandServices } from './discord/command.ts';
import { Dispatch } from './discord/dispatch.ts';
import { DiscordGuilds } from './discord/guild-presence.ts';
import { DiscordEraser } from './discord/message-eraser.ts';
import { DiscordModeratorNotes } from './discord/moderator-notes.ts';
import { ChannelFiles } from './discord/newest-file.ts';
import { DiscordPublisher } from './discord/publisher.ts';
import { RequestGuard } from './discord/request-guard.ts';
import { registerCommands } from './discord/registration.ts';
import { JOB_LIMITS } from './jobs/job-limits.ts';
import { Jobs } from './jobs/jobs.ts';
import type { InputFetcher } from './jobs/ports.ts';
import type { Budget, BudgetView } from './ledger/budget.ts';
import { Ledger } from './ledger/ledger.ts';
import { MediaApi } from './media-api/media-api.ts';
import { Members } from './members/members.ts';
import type { Masquerade, MasqueradeOptions } from './options.ts';
import type { Readiness } from './web/health.ts';
import { DEFINITIONS, SURFACES } from './surfaces.ts';
import { webPlugin } from './web/web-plugin.ts';
import { addToHost, assertNotListening, createWebServer } from './web/web-server.ts';
import { webhookPath } from './web/webhooks.ts';

const DEFAULT_BUDGET: Budget = { limit: parseUsd(10), period: 'month', timeZone: 'UTC' };
const HOST_PREFIX = '/masquerade';
const PORT = 3000;

/** The bot was disposed before it was ready. */
export class BotError extends ServiceError<'disposed'> {}

interface Parts {
  readonly options: MasqueradeOptions;
  readonly owned: Disposer;
  readonly clock: Clock;
  readonly log: Logger;
}

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

async function build(parts: Parts): Promise<Masquerade> {
  const { options, owned, clock, log } = parts;
  const { dataDir = './data', databaseUrl = `sqlite:${dataDir}/masquerade.db` } = options;
  const db = owned.use(await openDatabase({ url: databaseUrl, clock, logger: log }));
  const web = openWeb(parts);
  const discord = openDiscord(parts);
  const { client } = discord;
  const guard = owned.use(new RequestGuard({ rest: client.rest, clock, log }));
  const ledger = new Ledger({ clock, defaultBudget: options.defaultBudget ?? DEFAULT_BUDGET });
  const fetcher = owned.use(new AttachmentFetcher({ hosts: options.attachmentHosts, clock }));
  const people = await openPeople(parts, { db, client, fetcher, jobs: () => jobs });
  const jobs: Jobs = owned.use(
    await Jobs.open({
      db,
      dataDir,
      clock,
      log,
      api: openApi(parts, db),
      ledger,
      fetcher,
      newest: new ChannelFiles(client),
      savedFaces: people.members.faces,
      neverSwap: people.members.consents,
      publisher: owned.use(new DiscordPublisher({ client, guard, clock, log })),
      callbackUrl: callbackUrl(options, web),
      publicUrl: memberUrl(options, web),
      moderators: new DiscordModeratorNotes({
        client,
        guard,
        clock,
        log,
        channelOf: (guildId) => people.access.reportsChannelOf(guildId),
      }),
      limits: options.jobLimits,
      onStep: options.onStep,
      gates: [people.access, people.members.consents],
    }),
  );
  const readiness = (): Promise<Readiness> => readinessOf(db, client, jobs);
  const budget = (guildId: string): Promise<BudgetView> => ledger.budget(db.kysely, guildId);
  const { intake, desk, voices, picks, results, fileLimits } = jobs;
  const services: CommandServices = {
    intake,
    desk,
    voices,
    picks,
    results,
    fileLimits,
    budget,
    ...people.services,
  };
  const dispatch = owned.use(new Dispatch({ client, ...SURFACES, services, clock, log }));
  // Routes cannot be taken back from a host's server, so whatever else may fail comes before them.
  await discord.login?.();
  await web.serve(jobs, readiness);
  const ready = start(parts, { client, jobs, members: people.members, dispatch });
  if (discord.login) await ready;
  const dispose = (): Promise<void> => owned[Symbol.asyncDispose]();
  return { client, webUrl: web.url(), ready, budget, readiness, [Symbol.asyncDispose]: dispose };
}

interface People {
  readonly access: Access;
  readonly members: Members;
  readonly services: Pick<CommandServices, 'access' | 'faces' | 'consents' | 'privacy'>;
}

interface PeopleParts {
  readonly db: Database;
  readonly client: Client;
  readonly fetcher: InputFetcher;
  /** There once everything is built. */
  readonly jobs: () => Jobs;
}

/** Rules of guilds, and what members saved and wish. */
async function openPeople({ options, owned, clock, log }: Parts, parts: PeopleParts): Promise<People> {
  const { db, client, fetcher, jobs } = parts;
  const { dataDir = './data', accessDefaults, departedKeepMs, jobLimits } = options;
  const access = await Access.open({ db, clock, defaults: accessDefaults });
  const members = owned.use(
    await Members.open({
      db,
      dataDir,
      clock,
      log,
      fetcher,
      departedKeepMs,
      eraser: new DiscordEraser(client),
      presence: new DiscordGuilds(client),
      pseudonymOf: (userId) => access.pseudonymOf(userId),
      removeJobFiles: (jobIds) => jobs().removeFiles(jobIds),
      nudgeJobs: () => jobs().nudge(),
      resultKeepMs: jobLimits?.resultKeepMs ?? JOB_LIMITS.resultKeepMs,
    }),
  );
  const { faces, consents, privacy } = members;
  return { access, members, services: { access, faces, consents, privacy } };
}

function openApi({ options: { mediaApi }, owned, clock, log }: Parts, db: Database): MediaApi {
  const { baseUrl, apiKey, requestsPerMinute = 60, allowInsecureHttp = false, limits = {} } = mediaApi;
  const keyNow = typeof apiKey === 'function' ? apiKey : (): string => apiKey;
  const rateLog = new RateLog(db, () => derivedId('key', keyNow()));
  const account = { baseUrl, apiKey, requestsPerMinute, allowInsecureHttp, limits };
  return owned.use(new MediaApi({ ...account, rateLog, clock, logger: log }));
}

interface Started {
  readonly client: Client;
  readonly jobs: Jobs;
  readonly members: Members;
  readonly dispatch: Dispatch;
}

/** Takes up work once the client is ready. Disposing ends it and waits until it has ended. */
function start(parts: Parts, { client, jobs, members, dispatch }: Started): Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async (): Promise<void> => {
    const readyClient = await whenReady(client, signal);
    await jobs.start(signal);
    members.start();
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
  return ready;
}

interface DiscordPart {
  readonly client: Client;
  /** Only of a client of our own. */
  readonly login?: () => Promise<unknown>;
}

function openDiscord({ options, owned, clock, log }: Parts): DiscordPart {
  const { discord, onLost } = options;
  if ('client' in discord) {
    return { client: discord.client };
  }
  const own = owned.use(createClient({ ...discord, ...cdnOf(options), clock, log, onLost }));
  return { client: own.client, login: () => own.login() };
}

/** Where a chat elsewhere than at Discord's has members' pictures: beside the attachments. */
function cdnOf({ discord, attachmentHosts: [host] = [] }: MasqueradeOptions): { readonly cdnUrl?: string } {
  if (!('apiUrl' in discord) || discord.apiUrl === undefined || host === undefined) return {};
  return { cdnUrl: `${new URL(discord.apiUrl).protocol}//${host}` };
}

/** Waits as long as the host takes to log in, or until the signal aborts. */
function whenReady(client: Client, signal: AbortSignal): Promise<Client<true>> {
  if (client.isReady()) return Promise.resolve(client);
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      client.off(Events.ClientReady, onReady);
      reject(signal.reason);
    };
    const onReady = (readyClient: Client<true>): void => {
      signal.removeEventListener('abort', onAbort);
      resolve(readyClient);
    };
    client.once(Events.ClientReady, onReady);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

async function publishCommands(
  parts: Parts,
  client: Client<true>,
  dispatch: Dispatch,
  signal: AbortSignal,
): Promise<void> {
  const { registerCommands: where = 'globally' } = parts.options;
  if (where === 'never') return;
  const registered = await registerCommands(
    {
      rest: client.rest,
      applicationId: client.application.id,
      commands: DEFINITIONS,
      clock: parts.clock,
      ...(typeof where === 'object' ? { guildId: where.guildId } : {}),
    },
    signal,
  );
  dispatch.expectIds(registered.map((command) => command.id));
  parts.log.info({ registered }, 'Commands are published');
}

interface WebPart {
  serve(jobs: Jobs, readiness: () => Promise<Readiness>): Promise<void>;
  /** Of its own server, once it listens; null in a host's. */
  url(): string | null;
}

function openWeb(parts: Parts): WebPart {
  const { options, owned, clock, log } = parts;
  const { http = {}, mediaApi } = options;
  const host = 'fastify' in http ? http : undefined;
  if (host) assertNotListening(host.fastify);
  const own =
    'fastify' in http
      ? undefined
      : owned.use(createWebServer({ host: http.host ?? '127.0.0.1', port: http.port ?? PORT }));
  let url: string | null = null;
  let isOpen = true;
  owned.defer(() => (isOpen = false));
  return {
    url: () => url,
    async serve(jobs, readiness) {
      const { headerPrefix = 'Service' } = mediaApi;
      const plugin = webPlugin({
        inbox: jobs.inbox,
        results: jobs.links,
        readiness,
        headerPrefix,
        clock,
        log,
        signingSecrets: () => signingSecrets(mediaApi),
        isOpen: () => isOpen,
      });
      if (host) await addToHost(host.fastify, plugin, host.prefix ?? HOST_PREFIX);
      await own?.fastify.register(plugin);
      url = (await own?.listen()) ?? null;
    },
  };
}

function signingSecrets({ signingSecrets: secrets = [] }: MasqueradeOptions['mediaApi']): readonly string[] {
  return typeof secrets === 'function' ? secrets() : secrets;
}

/** Without a way in, or without a secret to check by, no webhook is asked for. */
function callbackUrl(options: MasqueradeOptions, web: WebPart): ((token: string) => string) | undefined {
  const isSigned = signingSecrets(options.mediaApi).some((secret) => secret !== '');
  const toUrl = publicUrl(options, web);
  return toUrl && isSigned ? (token) => toUrl(webhookPath(token)) : undefined;
}

/** What members are linked to. A link to this machine is of use only where the chat is on it too. */
function memberUrl(options: MasqueradeOptions, web: WebPart): ((path: string) => string) | undefined {
  const { discord, publicUrl: given } = options;
  const apiUrl = 'apiUrl' in discord ? URL.parse(discord.apiUrl ?? '') : null;
  const isLocalChat = apiUrl !== null && isLoopbackHost(apiUrl.hostname);
  return given === 'loopback' && !isLocalChat ? undefined : publicUrl(options, web);
}

/** How the outside reaches a path of the web part; undefined when it does not. */
function publicUrl(options: MasqueradeOptions, web: WebPart): ((path: string) => string) | undefined {
  const { publicUrl: given, http } = options;
  if (given === undefined) return undefined;
  if (given === 'loopback' && http && 'fastify' in http) {
    throw new TypeError(
      'Cannot reach the web routes: publicUrl must be the address of the server that was given',
    );
  }
  if (given !== 'loopback' && !/^https?:$/.test(URL.parse(given)?.protocol ?? '')) {
    throw new TypeError('Cannot reach the web routes: publicUrl is not an http or https URL');
  }
  const base = given.replace(/\/+$/, '');
  return (path) => `${given === 'loopback' ? web.url() : base}${path}`;
}

async function readinessOf(db: Database, client: Client, jobs: Jobs): Promise<Readiness> {
  const database = await db.kysely
    .selectFrom('settings')
    .select('name')
    .limit(1)
    .execute()
    .then(() => true)
    .catch(() => false);
  return { database, discord: client.isReady(), media_api: jobs.ratesKnown };
}
