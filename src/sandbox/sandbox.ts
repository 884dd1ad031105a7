import type { FastifyInstance } from 'fastify';
import { type Clock, systemClock } from '../base/clock.ts';
import { Disposer } from '../base/disposer.ts';
import { listen } from '../base/listen.ts';
import { type Logger, silentLogger } from '../base/log.ts';
import type { WireNote } from '../base/wire-notes.ts';
import { createApplication } from './chat/applications.ts';
import { commandBody } from './chat/command-body.ts';
import { commandPayload, commandsOf, upsertCommand } from './chat/commands.ts';
import type { WaitOptions } from './chat/changes.ts';
import { inviteBot } from './chat/guilds.ts';
import type { Application, TeamMember } from './chat/user.ts';
import type { Payload } from './chat/payload.ts';
import { World } from './chat/world.ts';
import { FaultPlan } from './faults.ts';
import { Faults } from './fault-script.ts';
import { registerControl } from './control/control-server.ts';
import { ChatPage, type ChatPageOptions } from './page/chat-page.ts';
import type { ConnectedFaultName, FaultPort } from './page/fault-buttons.ts';
import { WireLog } from './page/wire-log.ts';
import { GatewayServer, type GuildsPerShard } from './gateway/gateway-server.ts';
import { createHttpApp } from './http-app.ts';
import type { Exchange } from './observe.ts';
import { applicationRoutes } from './rest/application-routes.ts';
import { registerCdn } from './rest/cdn.ts';
import { commandRoutes } from './rest/command-routes.ts';
import { guildRoutes } from './rest/guild-routes.ts';
import { interactionRoutes } from './rest/interaction-routes.ts';
import { messageRoutes } from './rest/message-routes.ts';
import { RestServer } from './rest/rest-server.ts';
import { voiceRoutes } from './rest/voice-routes.ts';
import { SandboxGuild } from './script/guild-script.ts';
import { SandboxMember } from './script/member-script.ts';
import { seedCommunities } from './seed.ts';
import type { Violation } from './violations.ts';
import { CertificateFile } from './voice/certificate-file.ts';
import { makeCertificate } from './voice/certificate.ts';
import { type EncryptionPolicy, chooseEncryption } from './voice/choose-encryption.ts';
import type { TransportMode } from './voice/transport-cipher.ts';
import { startVoice } from './voice/start-voice.ts';
import type { VoiceServer } from './voice/voice-server.ts';

/** How voice differs from the usual. */
export interface VoiceOptions {
  /** Default 13,750. */
  readonly heartbeatIntervalMs?: number;
  /** Offered to clients, which take the first that they know. Default: AES-GCM, then XChaCha20. */
  readonly modes?: readonly TransportMode[];
  /** Of all that happens by chance. Default 1. */
  readonly seed?: number;
  /** Whether calls are encrypted end to end (DAVE). Default `required`. */
  readonly encryption?: EncryptionPolicy;
}

/** How a sandbox differs from the usual. */
export interface SandboxOptions {
  /** A loopback address. Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** The time of the chat's rules: 3 s, 15 min, links, nonces. Default the real one. */
  readonly clock?: Clock;
  /** The time by which clients on the wire measure: rate limits, heartbeats, waits. Default the real one. */
  readonly wireClock?: Clock;
  readonly logger?: Logger;
  /** Default 41,250. */
  readonly heartbeatIntervalMs?: number;
  /** Of the first application. Default: a new one. */
  readonly applicationId?: string;
  /** Of the first application. Default: a new one. */
  readonly token?: string;
  /** Whether GUILD_MEMBERS, GUILD_PRESENCES and MESSAGE_CONTENT are switched on. Default false. */
  readonly privilegedIntents?: boolean;
  /** How often commands may be read and written. Default 5 in 5 s. */
  readonly commandLimit?: { readonly requests: number; readonly windowMs: number };
  /** From how many guilds on a bot is told to run another shard, and refused. Default 1,000 and 2,500. */
  readonly guildsPerShard?: GuildsPerShard;
  /** How voice differs from the usual. */
  readonly voice?: VoiceOptions;
  /** Where the files of the chat page's gallery are. */
  readonly page?: ChatPageOptions;
  /** Sees every REST request with its answer. */
  readonly observe?: (exchange: Exchange) => void;
}

/** Somebody of a team that owns an application; by default an admin of it who accepted. */
export interface SandboxTeamMember {
  readonly member: SandboxMember;
  readonly role?: TeamMember['role'];
  readonly state?: TeamMember['state'];
}

/** A local Discord that bots log in to. The creator disposes it. */
export interface Sandbox extends AsyncDisposable {
  /** `http://127.0.0.1:PORT/api`: what discord.js takes as `rest.api`. */
  readonly apiUrl: string;
  /** `127.0.0.1:PORT`: where files are. */
  readonly cdnHost: string;
  readonly token: string;
  readonly applicationId: string;
  /**
   * The certificate of the voice server, which clients reach only over TLS: this process trusts it with
   * `trustCertificate(caPem)` of `voice/trust.ts`, another one when it is started with `NODE_EXTRA_CA_CERTS=caFile`.
   */
  readonly caPem: string;
  /** A file with it, for as long as the sandbox lives. */
  readonly caFile: string;
  /** `127.0.0.1:PORT` of the voice gateway, as bots learn it. */
  readonly voiceEndpoint: string;
  /** `http://127.0.0.1:PORT/control`: the sandbox by HTTP, see `control/control-server.ts`. */
  readonly controlUrl: string;
  /** `http://127.0.0.1:PORT/chat/`: the chat page, on which people try the bot; see `page/page-wire.ts`. */
  readonly chatUrl: string;
  /** Shows people on the chat page what else went over the wire: only what is allowed, never secrets. */
  noteWire(note: WireNote): void;
  /** Lets the chat page order a fault of something beside the sandbox. */
  connectFault(name: ConnectedFaultName, port: FaultPort): void;
  /**
   * What clients did wrong so far and no test has taken. To ask for something that is gone (404 such as 10003 or
   * 10008) and to write to a closed inbox (50007) is not wrong; everything else that was refused is.
   */
  readonly violations: readonly Violation[];
  readonly faults: Faults;
  /** Returns and forgets the matching violations, all by default. */
  takeViolations(matches?: (violation: Violation) => boolean): Violation[];
  /** A new community; every bot is a member. */
  addGuild(name: string, options?: { readonly attachmentSizeLimitBytes?: number }): SandboxGuild;
  /** All communities, in the order of their making. */
  readonly guilds: readonly SandboxGuild[];
  /** The registered commands, global or of one guild, as the API answers them with all localisations. */
  commands(guild?: { readonly id: string }): readonly Payload[];
  /** Registers a command by hand, as another program of the same application would. Throws what Discord refuses. */
  addCommand(definition: unknown, guild?: { readonly id: string }): void;
  /** Another bot with its own token, in all guilds. */
  addApplication(name: string): { readonly applicationId: string; readonly token: string };
  /**
   * Gives the first application to a person, or to a team of which the first member is the owner. Default: the owner
   * of the first community has it.
   */
  giveApplicationTo(owner: SandboxMember | readonly SandboxTeamMember[]): void;
  /** Two communities with channels and members, as the demo and the `sandbox` role show them. */
  seed(): ReturnType<typeof seedCommunities>;
  /** Resolves when the first application's bot is identified and connected. */
  botOnline(options?: WaitOptions): Promise<void>;
  /** Resolves when it is not connected any more. */
  botOffline(options?: WaitOptions): Promise<void>;
}

const HEARTBEAT_INTERVAL_MS = 41_250;
const GUILDS_PER_SHARD: GuildsPerShard = { recommended: 1_000, max: 2_500 };
const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|localhost)$/;

/** Starts a local Discord on loopback. Throws `TypeError` for any other address. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const host = options.host ?? '127.0.0.1';
  if (!LOOPBACK.test(host)) {
    throw new TypeError(`Cannot open the sandbox on "${host}": it is for loopback only`);
  }
  const disposer = new Disposer();
  try {
    return await start(host, options, disposer);
  } catch (error) {
    await disposer[Symbol.asyncDispose]();
    throw error;
  }
}

async function start(host: string, options: SandboxOptions, disposer: Disposer): Promise<Sandbox> {
  const wireClock = options.wireClock ?? systemClock;
  const logger = options.logger ?? silentLogger;
  const { voice: voiceOptions = {} } = options;
  const { encryption: policy = 'required', ...voiceRest } = voiceOptions;
  const world: World = new World({
    clock: options.clock ?? systemClock,
    wireClock,
    ...voiceRest,
    encryption: (channelId) => chooseEncryption(world, wireClock, policy, channelId),
  });
  disposer.defer(() => world.close());
  const application = createApplication(world, 'Masquerade', options);
  const app = createHttpApp(world, logger);
  // Closed after the gateway: the HTTP server waits for its upgraded sockets.
  disposer.defer(() => app.close());
  let authority = '';
  const url = (): string => `ws://${authority}`;
  const heartbeatIntervalMs = options.heartbeatIntervalMs ?? HEARTBEAT_INTERVAL_MS;
  const { guildsPerShard = GUILDS_PER_SHARD } = options;
  const wireLog = new WireLog(wireClock);
  const gateway = disposer.use(
    new GatewayServer({
      world,
      wireClock,
      heartbeatIntervalMs,
      guildsPerShard,
      url,
      observe: (event, sessions) => noteDispatch(wireLog, event, sessions),
    }),
  );
  const certificate = makeCertificate(host);
  const caFile = disposer.use(await CertificateFile.write(certificate.certificatePem));
  const voice = await startVoice(
    {
      world,
      gateway,
      clock: wireClock,
      host,
      certificate,
      heartbeatIntervalMs: voiceOptions.heartbeatIntervalMs,
      modes: voiceOptions.modes,
    },
    disposer,
  );
  const plan = new FaultPlan();
  const faults = new Faults({ plan, gateway, voice, calls: world.calls });
  const page = disposer.use(
    await ChatPage.create({
      world,
      application,
      isOnline: (bot) => gateway.isOnline(bot),
      faults,
      wireLog,
      clock: wireClock,
      authority: () => authority,
      options: options.page ?? {},
    }),
  );
  await addRoutes(app, { world, gateway, application, faults, page, plan, wireClock, url }, options);
  const { origin } = await listen(app, { host, port: options.port ?? 0 });
  authority = new URL(origin).host;
  world.cdnBase = `http://${authority}`;
  logger.info({ authority }, 'The sandbox listens');
  return new LocalSandbox({ world, gateway, application, faults, disposer, authority, caFile, voice, page });
}

/** What no bot asked to hear of is no traffic; a use that none heard of is. */
function noteDispatch(wireLog: WireLog, event: string, sessions: number): void {
  if (sessions === 0 && event !== 'INTERACTION_CREATE') return;
  wireLog.note({ source: 'gateway', what: event, detail: { delivered_to: sessions } });
}

interface Routed {
  readonly world: World;
  readonly gateway: GatewayServer;
  readonly application: Application;
  readonly faults: Faults;
  readonly page: ChatPage;
  readonly plan: FaultPlan;
  readonly wireClock: Clock;
  readonly url: () => string;
}

/** REST, files, control API, chat page and gateway on one HTTP server. */
async function addRoutes(
  app: FastifyInstance,
  { world, gateway, application, faults, page, plan, wireClock, url }: Routed,
  options: SandboxOptions,
): Promise<void> {
  const routes = [
    ...applicationRoutes({
      url,
      recommendedShards: (bot) => gateway.recommendedShards(bot),
      sessionStartLimit: (bot) => ({ ...gateway.sessionStartLimit(bot) }),
    }),
    ...commandRoutes(options.commandLimit),
    ...interactionRoutes(),
    ...messageRoutes(),
    ...guildRoutes(),
    ...voiceRoutes(),
  ];
  plan.knowRoutes(routes.map((route) => route.path));
  const observe = (exchange: Exchange): void => {
    page.noteExchange(exchange);
    options.observe?.(exchange);
  };
  const rest = new RestServer({ world, faults: plan, wireClock, observe });
  const isOnline = (): boolean => gateway.isOnline(application);
  await app.register(async (scope) => rest.register(scope, routes));
  await app.register(async (scope) => registerCdn(scope, { world, faults: plan, wireClock }));
  await app.register(async (scope) => registerControl(scope, { world, application, faults, isOnline, page }));
  await page.register(app);
  gateway.attach(app.server, { '/control/live': page.upgrade });
}

interface Parts {
  readonly world: World;
  readonly gateway: GatewayServer;
  readonly application: Application;
  readonly faults: Faults;
  readonly disposer: Disposer;
  readonly authority: string;
  readonly caFile: CertificateFile;
  readonly voice: VoiceServer;
  readonly page: ChatPage;
}

class LocalSandbox implements Sandbox {
  readonly #parts: Parts;
  readonly faults: Faults;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.faults = parts.faults;
  }

  get apiUrl(): string {
    return `http://${this.#parts.authority}/api`;
  }

  get cdnHost(): string {
    return this.#parts.authority;
  }

  get caPem(): string {
    return this.#parts.caFile.pem;
  }

  get caFile(): string {
    return this.#parts.caFile.path;
  }

  get voiceEndpoint(): string {
    return this.#parts.voice.endpoint;
  }

  get controlUrl(): string {
    return `http://${this.#parts.authority}/control`;
  }

  get chatUrl(): string {
    return `${this.#parts.page.guard.origin}/chat/`;
  }

  noteWire(note: WireNote): void {
    this.#parts.page.wireLog.note(note);
  }

  connectFault(name: ConnectedFaultName, port: FaultPort): void {
    this.#parts.page.faultButtons.connect(name, port);
  }

  get token(): string {
    return this.#parts.application.token;
  }

  get applicationId(): string {
    return this.#parts.application.id;
  }

  get violations(): readonly Violation[] {
    return this.#parts.world.violations.entries;
  }

  takeViolations(matches?: (violation: Violation) => boolean): Violation[] {
    return this.#parts.world.violations.take(matches);
  }

  addGuild(name: string, options: { readonly attachmentSizeLimitBytes?: number } = {}): SandboxGuild {
    const { world, application } = this.#parts;
    return SandboxGuild.create(world, application, name, options);
  }

  get guilds(): readonly SandboxGuild[] {
    const { world, application } = this.#parts;
    return [...world.guilds.values()].map((guild) => new SandboxGuild(world, application, guild));
  }

  commands(guild?: { readonly id: string }): readonly Payload[] {
    return commandsOf(this.#parts.application, guild?.id ?? null).map((entry) => commandPayload(entry, true));
  }

  addCommand(definition: unknown, guild?: { readonly id: string }): void {
    const { world, application } = this.#parts;
    upsertCommand(world, application, guild?.id ?? null, commandBody.parse(definition));
  }

  addApplication(name: string): { applicationId: string; token: string } {
    const { world } = this.#parts;
    const application = createApplication(world, name);
    for (const guild of world.guilds.values()) inviteBot(world, guild, application);
    return { applicationId: application.id, token: application.token };
  }

  giveApplicationTo(owner: SandboxMember | readonly SandboxTeamMember[]): void {
    const { world, application } = this.#parts;
    if (owner instanceof SandboxMember) {
      application.owner = owner.entity.user;
      return;
    }
    application.owner = {
      id: world.ids.next(),
      name: 'Film makers',
      ownerId: owner[0]?.member.id ?? '',
      members: owner.map(({ member, role = 'admin', state = 'accepted' }) => {
        return { user: member.entity.user, role, state };
      }),
    };
  }

  seed(): ReturnType<typeof seedCommunities> {
    return seedCommunities((name) => this.addGuild(name));
  }

  async botOnline(options: WaitOptions = {}): Promise<void> {
    const { world, gateway, application } = this.#parts;
    const isOnline = (): true | undefined => gateway.isOnline(application) || undefined;
    await world.changes.until(isOnline, { timeoutMs: 15_000, ...options, what: 'the bot online' });
  }

  async botOffline(options: WaitOptions = {}): Promise<void> {
    const { world, gateway, application } = this.#parts;
    const isOffline = (): true | undefined => !gateway.isOnline(application) || undefined;
    await world.changes.until(isOffline, { timeoutMs: 15_000, ...options, what: 'the bot offline' });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposer[Symbol.asyncDispose]();
  }
}
