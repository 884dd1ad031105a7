import { systemClock } from '../../base/clock.ts';
import { Disposer } from '../../base/disposer.ts';
import { createMasquerade } from '../../compose/create-masquerade.ts';
import type { MasqueradeOptions } from '../../compose/masquerade-options.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { connectChatPage } from './chat-page.ts';
import { type EmbeddedMediaServer, startMediaServer, showConsolePassword } from './embedded-media-server.ts';
import { type Role, type RoleContext, printReady } from './role.ts';
import { startSandbox } from './sandbox.ts';
import { SecretFile } from './secret-file.ts';

const DAY_MS = 86_400_000;

/** `start`: runs the bot, with a local stand-in for each counterpart that is not configured. */
export const start: Role = async (context) => {
  const owned = new Disposer();
  try {
    return await startAll(context, owned);
  } catch (error) {
    await owned[Symbol.asyncDispose]();
    throw error;
  }
};

async function startAll(context: RoleContext, owned: Disposer): Promise<AsyncDisposable> {
  const { settings, log, fail } = context;
  const { storage, web, budget, access, voice, live, operator } = settings;
  const liveCodec = live.codec ?? (settings.mediaApi.url === null ? 'jpeg' : null);
  const { media, embedded } = await chooseMediaApi(context, owned);
  const { discord, sandbox } = await chooseDiscord(context, owned);
  if (sandbox) owned.use(connectChatPage(sandbox, embedded?.faults ?? null));
  const bot = owned.use(
    await createMasquerade({
      ...media,
      ...discord,
      http: { host: web.host, port: web.port, connectionsPerAddress: web.connectionsPerAddress },
      databaseUrl: storage.databaseUrl,
      dataDir: storage.dataDir,
      defaultBudget: { limit: budget.limit, period: budget.period, timeZone: budget.timeZone },
      ...(budget.allowance === null
        ? {}
        : { allowance: { limit: budget.allowance, period: budget.allowancePeriod } }),
      prices: settings.mediaApi.prices,
      accessDefaults: access,
      voiceLimits: { idleMs: voice.idleSeconds * 1000 },
      ...(voice.noticeFile === null ? {} : { voiceNoticeFile: voice.noticeFile }),
      ...(liveCodec === null ? {} : { liveCodec }),
      operator,
      departedKeepMs: storage.departedKeepDays * DAY_MS,
      logger: log,
      onLost: fail,
    }),
  );
  if (embedded) showConsolePassword(context, embedded);
  printReady(context, {
    ready: 'bot',
    web: bot.webUrl,
    database: shownDatabase(storage.databaseUrl),
    discord: settings.discord.token === null ? 'sandbox' : 'discord',
    media_api: settings.mediaApi.url === null ? 'embedded' : new URL(settings.mediaApi.url).origin,
    ...(sandbox ? { chat: sandbox.chatUrl } : {}),
    ...(embedded ? { console: embedded.consoleUrl } : {}),
  });
  if (sandbox) context.notify(`\nTry the bot: open ${sandbox.chatUrl} in your browser.\n\n`);
  return owned;
}

/** Returns a database URL without its user, password and parameters. */
function shownDatabase(url: string): string {
  return url.startsWith('sqlite:') ? url : url.replace(/^(\w+:\/\/)(.*@)?/, '$1').replace(/\?.*$/, '');
}

async function chooseMediaApi(
  context: RoleContext,
  owned: Disposer,
): Promise<{
  readonly media: Pick<MasqueradeOptions, 'mediaApi' | 'publicUrl' | 'memberUrl'>;
  readonly embedded: EmbeddedMediaServer | null;
}> {
  const { mediaApi, web, mediaServer } = context.settings;
  const { headerPrefix } = mediaApi;
  if (mediaApi.url !== null) {
    const { url: baseUrl, requestsPerMinute, allowHttp: allowInsecureHttp } = mediaApi;
    const secrets = await openSecrets(context, owned);
    const remote = {
      mediaApi: { baseUrl, ...secrets, headerPrefix, requestsPerMinute, allowInsecureHttp },
      ...(web.publicUrl === null ? {} : { publicUrl: web.publicUrl }),
    };
    return { media: remote, embedded: null };
  }
  const embedded = owned.use(await startMediaServer(context));
  context.log.info(
    { base: embedded.baseUrl },
    'The media service is embedded: it renders on this machine. Set MEDIA_API_URL, MEDIA_API_KEY and MEDIA_API_SIGNING_SECRET to use another',
  );
  const { baseUrl, apiKey, signingSecret } = embedded;
  const { requestsPerMinute } = mediaServer;
  const signingSecrets = [signingSecret];
  const memberUrl = web.publicUrl === null ? {} : { memberUrl: web.publicUrl };
  return {
    media: {
      mediaApi: { baseUrl, apiKey, signingSecrets, headerPrefix, requestsPerMinute },
      publicUrl: 'loopback',
      ...memberUrl,
    },
    embedded,
  };
}

/**
 * Reads the key and the secrets from their files, which may change while the bot runs, or from the settings if there
 * are no files.
 */
async function openSecrets(
  { settings: { mediaApi }, log }: RoleContext,
  owned: Disposer,
): Promise<Pick<MasqueradeOptions['mediaApi'], 'apiKey' | 'signingSecrets'>> {
  const open = async (path: string | null): Promise<SecretFile | null> =>
    path === null ? null : owned.use(await SecretFile.open({ path, clock: systemClock, log }));
  const keyFile = await open(mediaApi.keyFile);
  const secretFile = await open(mediaApi.signingSecretsFile);
  return {
    apiKey: keyFile ? () => keyFile.first : (mediaApi.key ?? ''),
    signingSecrets: secretFile ? () => secretFile.all : mediaApi.signingSecrets,
  };
}

async function chooseDiscord(
  context: RoleContext,
  owned: Disposer,
): Promise<{
  readonly discord: Pick<MasqueradeOptions, 'discord' | 'stage' | 'attachmentHosts'>;
  readonly sandbox?: Sandbox;
}> {
  const { token, stageToken, apiUrl, cdnHosts, shards, shardCount } = context.settings.discord;
  const sharding = { shards, ...(shardCount === null ? {} : { shardCount }) };
  if (token !== null) {
    const discord = { token, ...(apiUrl === null ? {} : { apiUrl }), ...sharding };
    const stage = stageToken === null ? {} : { stage: { token: stageToken } };
    const hosts = cdnHosts === null ? {} : { attachmentHosts: cdnHosts };
    return { discord: { discord, ...stage, ...hosts } };
  }
  const { trustCertificate } = await import('../../sandbox/voice/trust-certificate.ts');
  const sandbox = owned.use(await startSandbox(context));
  owned.use(trustCertificate(sandbox.caPem));
  context.log.info(
    { control: sandbox.controlUrl },
    'Discord is embedded: a sandbox with a few communities, driven by its control address. Set DISCORD_TOKEN to use the real one',
  );
  const discord = { token: sandbox.token, apiUrl: sandbox.apiUrl, ...sharding };
  return { discord: { discord, attachmentHosts: [sandbox.cdnHost] }, sandbox };
}
