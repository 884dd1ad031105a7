import {
  Client,
  type ClientOptions as DiscordOptions,
  DiscordjsErrorCodes,
  Events,
  GatewayIntentBits,
  Options,
} from 'discord.js';
import { type Clock, DeadlineError, withDeadline } from '../../../base/clock.ts';
import { systemErrorCode } from '../../../base/errors.ts';
import { LinkedSignal } from '../../../base/linked-signal.ts';
import { type Logger, loggableUrl } from '../../../base/log.ts';
import { areShardsOf } from '../../../base/setting-rules.ts';
import { DiscordError } from './discord-error.ts';

interface ClientOptions {
  readonly token: string;
  /**
   * The base URL of the REST API, such as `http://127.0.0.1:4000/api`. This API also provides the gateway's URL.
   * Default: Discord's.
   */
  readonly apiUrl?: string;
  /** The base URL of links to members' pictures. Default: Discord's CDN. */
  readonly cdnUrl?: string;
  /**
   * The ids of the shards that this process runs, each below `shardCount`. `auto` runs all `shardCount` shards, or as
   * many as Discord recommends if `shardCount` is not set.
   */
  readonly shards?: readonly number[] | 'auto';
  readonly shardCount?: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** The time limit for each shard to log in after the previous one, in milliseconds. Default 30 s. */
  readonly loginTimeoutMs?: number;
  /** Called once when Discord ends the connection permanently, for example because the token was reset. */
  readonly onLost?: ((error: DiscordError) => void) | undefined;
}

const LOGIN_TIMEOUT_MS = 30_000;
/** The time limit for the whole login: enough for the largest possible number of shards. */
const LOGIN_MS_MAX = 2 * 3_600_000;
const GUILD_WAIT_MS = 5_000;
const USERS_MAX = 200;
/**
 * A placeholder for the number of shards: with `auto`, discord.js fetches the actual number from Discord. The
 * placeholder must not be 1, because discord.js would mistake 1 for its own default and read the environment variable
 * `SHARD_COUNT`, even if that is empty.
 */
const UNUSED_COUNT = 2;
const AUTHENTICATION_FAILED = 4004;

/** A client that the bot created itself; disposing it logs out. */
interface OwnClient extends AsyncDisposable {
  readonly client: Client;
  /**
   * Logs in; all listeners must have been added to the client beforehand. Throws `DiscordError`: `token_refused`, or
   * `unreachable` with a one-line reason.
   */
  login(signal?: AbortSignal): Promise<Client<true>>;
}

/** Creates a discord.js client that keeps little in memory. Nothing is sent yet. */
export function createClient(options: ClientOptions): OwnClient {
  const client = newClient(options);
  listen(client, options);
  return {
    client,
    login: (signal) => logIn(client, options, signal),
    [Symbol.asyncDispose]: () => client.destroy(),
  };
}

async function logIn(client: Client, options: ClientOptions, signal?: AbortSignal): Promise<Client<true>> {
  const { token, clock, apiUrl, loginTimeoutMs = LOGIN_TIMEOUT_MS } = options;
  if (!/^[\x21-\x7e]+$/.test(token)) throw tokenRefused();
  using stalled = new LinkedSignal(signal);
  const giveUp = (): void => stalled.abort(new DeadlineError(loginTimeoutMs));
  let timer = clock.after(loginTimeoutMs, giveUp);
  // Discord lets a bot start its shards only one after the other, so many shards take a long time.
  const goOn = (): void => {
    timer.cancel();
    timer = clock.after(loginTimeoutMs, giveUp);
  };
  client.on(Events.ShardReady, goOn);
  try {
    return await withDeadline(clock, LOGIN_MS_MAX, () => untilReady(client, token), stalled.signal);
  } catch (error) {
    await client.destroy();
    throw loginError(error, apiUrl);
  } finally {
    client.off(Events.ShardReady, goOn);
    timer.cancel();
  }
}

function newClient({ apiUrl, cdnUrl, ...options }: ClientOptions): Client {
  return new Client({
    ...shardOptions(options),
    // Voice states report who is in which voice channel. Neither intent is privileged.
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildVoiceStates],
    allowedMentions: { parse: [], repliedUser: false },
    waitGuildTimeout: GUILD_WAIT_MS,
    rest: {
      ...(apiUrl === undefined ? {} : { api: apiUrl.replace(/\/+$/, '') }),
      ...(cdnUrl === undefined ? {} : { cdn: cdnUrl }),
    },
    // discord.js needs every guild, channel, role and permission overwrite in its cache, but little or nothing else.
    makeCache: Options.cacheWithLimits({
      AutoModerationRuleManager: 0,
      ApplicationCommandManager: 0,
      BaseGuildEmojiManager: 0,
      DMMessageManager: 0,
      EntitlementManager: 0,
      GuildBanManager: 0,
      GuildEmojiManager: 0,
      GuildForumThreadManager: 50,
      GuildInviteManager: 0,
      GuildMemberManager: {
        maxSize: USERS_MAX,
        keepOverLimit: (member) => member.id === member.client.user.id,
      },
      GuildMessageManager: 0,
      GuildScheduledEventManager: 0,
      GuildStickerManager: 0,
      GuildTextThreadManager: 50,
      MessageManager: 0,
      PresenceManager: 0,
      ReactionManager: 0,
      ReactionUserManager: 0,
      StageInstanceManager: 0,
      ThreadManager: 50,
      ThreadMemberManager: 0,
      UserManager: { maxSize: USERS_MAX, keepOverLimit: (user) => user.id === user.client.user?.id },
    }),
    sweepers: { threads: { interval: 3_600, lifetime: 3_600 } },
  });
}

/**
 * If both options are missing, discord.js itself reads the environment variables `SHARDS` and `SHARD_COUNT`, which its
 * ShardingManager sets.
 */
function shardOptions({
  shards,
  shardCount,
}: Pick<ClientOptions, 'shards' | 'shardCount'>): Partial<DiscordOptions> {
  if (shards !== undefined && !areShardsOf(shards, shardCount ?? null)) {
    throw new TypeError('Cannot run these shards: each must be named once, and be below shardCount');
  }
  const count = shardCount === undefined ? {} : { shardCount };
  if (shards === undefined) return count;
  if (shards !== 'auto') return { shards: [...shards], ...count };
  if (shardCount === undefined) return { shards, shardCount: UNUSED_COUNT };
  return { shards: Array.from({ length: shardCount }, (_, id) => id), ...count };
}

function listen(client: Client, { log, onLost }: ClientOptions): void {
  let isReported = false;
  const reportLost = (error: DiscordError): void => {
    // During login, the caller of `login` receives the error instead.
    if (!isReported && client.readyAt !== null) onLost?.(error);
    isReported = true;
  };
  client.on(Events.Error, (error) => log.error({ error }, 'The Discord client reported an error'));
  client.on(Events.ShardError, (error, shardId) => log.warn({ error, shardId }, 'Discord connection error'));
  client.on(Events.ShardDisconnect, ({ code }, shardId) => {
    log.error({ code, shardId }, 'Discord closed the connection permanently');
    reportLost(closedError(code));
  });
  client.on(Events.Invalidated, () => {
    log.error({}, 'Discord ended the session permanently');
    reportLost(new DiscordError('refused', 'Cannot stay connected: Discord ended the session'));
  });
}

function untilReady(client: Client, token: string): Promise<Client<true>> {
  return new Promise((resolve, reject) => {
    client.once(Events.ClientReady, resolve);
    client.login(token).catch(reject);
  });
}

function loginError(error: unknown, apiUrl: string | undefined): DiscordError {
  const code = codeOf(error);
  if (code === DiscordjsErrorCodes.TokenInvalid) return tokenRefused();
  const closedFor = error instanceof Error ? error.message : '';
  if (closedFor === 'Authentication failed') return tokenRefused();
  if (closedFor === 'Sharding is required') {
    return new DiscordError(
      'refused',
      'Cannot log in to Discord: it requires more shards than SHARD_COUNT (auto runs the recommended number)',
    );
  }
  const where = apiUrl === undefined ? 'Discord' : `Discord at ${loggableUrl(apiUrl)}`;
  const why = error instanceof Error ? (systemErrorCode(error) ?? error.message) : 'no answer';
  return new DiscordError('unreachable', `Cannot log in to ${where}: ${why}`);
}

function closedError(code: number): DiscordError {
  if (code === AUTHENTICATION_FAILED) return tokenRefused();
  return new DiscordError('refused', `Cannot stay connected: Discord closed the connection with ${code}`);
}

function tokenRefused(): DiscordError {
  return new DiscordError('token_refused', 'Cannot log in to Discord: the bot token is refused');
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
