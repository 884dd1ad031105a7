import { type Clock, systemClock } from '../base/clock.ts';
import type { Disposer } from '../base/disposer.ts';
import { silentLogger } from '../base/log.ts';
import { createApplication } from './chat/applications.ts';
import type { Application } from './chat/user.ts';
import { World } from './chat/world.ts';
import { Faults } from './faults.ts';
import { FaultPlan } from './fault-plan.ts';
import { GatewayServer, type GuildsPerShard } from './gateway/gateway-server.ts';
import { createHttpApp } from './http-app.ts';
import { ChatPage } from './page/chat-page.ts';
import { PageServer } from './page/page-server.ts';
import { WireLog } from './page/wire-log.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { serveSandbox } from './serve-sandbox.ts';
import { CertificateFile } from './voice/certificate-file.ts';
import { makeCertificate } from './voice/certificate.ts';
import { chooseEncryption } from './voice/choose-encryption.ts';
import { startVoice } from './voice/start-voice.ts';
import type { VoiceServer } from './voice/voice-server.ts';

/** The parts of a running sandbox. */
export interface SandboxParts {
  readonly world: World;
  readonly gateway: GatewayServer;
  readonly application: Application;
  readonly faults: Faults;
  /** `host:port`. */
  readonly authority: string;
  readonly caFile: CertificateFile;
  readonly voice: VoiceServer;
  readonly page: ChatPage;
  /** The origin of the chat page for people, such as `http://127.0.0.1:4000`. */
  readonly pageOrigin: string;
}

const HEARTBEAT_INTERVAL_MS = 41_250;
const GUILDS_PER_SHARD: GuildsPerShard = { recommended: 1_000, max: 2_500 };

/** Starts all parts on the address `host`. `disposer` disposes the started parts, even if this throws. */
export async function startParts(
  host: string,
  options: SandboxOptions,
  disposer: Disposer,
): Promise<SandboxParts> {
  const { wireClock = systemClock, logger = silentLogger, page: pageOptions = {} } = options;
  const world = createWorld(options, wireClock);
  disposer.defer(() => world.close());
  const application = createApplication(world, 'Masquerade', options);
  // Closing the server waits until the sockets of the gateway and the page are closed, so it is deferred before them:
  // deferred functions run in reverse order.
  const app = createHttpApp(world, logger);
  disposer.defer(() => app.close());
  const pageServer = pageOptions.open ? disposer.use(new PageServer(logger)) : undefined;
  let authority = '';
  const wireLog = new WireLog(wireClock);
  const gateway = disposer.use(
    new GatewayServer({
      world,
      wireClock,
      heartbeatIntervalMs: options.heartbeatIntervalMs ?? HEARTBEAT_INTERVAL_MS,
      guildsPerShard: options.guildsPerShard ?? GUILDS_PER_SHARD,
      observe: (event, sessions) => noteDispatch(wireLog, event, sessions),
    }),
  );
  const { voice, caFile } = await openVoice({ host, world, gateway, wireClock }, options, disposer);
  const plan = new FaultPlan();
  const faults = new Faults({ plan, gateway, voice, calls: world.calls });
  const isOnline = (bot: Application): boolean => gateway.isOnline(bot);
  const page = disposer.use(
    await ChatPage.create({
      world,
      application,
      isOnline,
      faults,
      wireLog,
      clock: wireClock,
      origin: () => `http://${authority}`,
      options: pageOptions,
    }),
  );
  const served = { world, gateway, application, faults, plan, page, wireClock };
  authority = await serveSandbox({ app, host, pageServer }, served, options);
  logger.info({ authority }, 'The sandbox listens');
  const pageOrigin = (pageServer ?? page).guard.origin;
  return { world, gateway, application, faults, authority, caFile, voice, page, pageOrigin };
}

function createWorld({ clock = systemClock, voice = {} }: SandboxOptions, wireClock: Clock): World {
  const { encryption: policy = 'required', ...rest } = voice;
  const world: World = new World({
    clock,
    wireClock,
    ...rest,
    encryption: (channelId) => chooseEncryption(world, wireClock, policy, channelId),
  });
  return world;
}

interface VoicePlace {
  readonly host: string;
  readonly world: World;
  readonly gateway: GatewayServer;
  readonly wireClock: Clock;
}

async function openVoice(
  { host, world, gateway, wireClock: clock }: VoicePlace,
  { voice: { heartbeatIntervalMs, modes } = {} }: SandboxOptions,
  disposer: Disposer,
): Promise<{ readonly voice: VoiceServer; readonly caFile: CertificateFile }> {
  const certificate = makeCertificate(host);
  const caFile = disposer.use(await CertificateFile.write(certificate.certificatePem));
  const options = { world, gateway, clock, host, certificate, heartbeatIntervalMs, modes };
  return { voice: await startVoice(options, disposer), caFile };
}

/** Shows an event in the wire panel. Events that no bot receives are left out, except for interactions. */
function noteDispatch(wireLog: WireLog, event: string, sessions: number): void {
  if (sessions === 0 && event !== 'INTERACTION_CREATE') return;
  wireLog.note({ source: 'gateway', what: event, detail: { delivered_to: sessions } });
}
