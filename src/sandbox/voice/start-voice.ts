import type { Clock } from '../../base/clock.ts';
import type { Disposer } from '../../base/disposer.ts';
import type { World } from '../chat/world.ts';
import type { GatewayServer } from '../gateway/gateway-server.ts';
import type { Certificate } from './certificate.ts';
import type { TransportMode } from './transport-cipher.ts';
import { endVoiceOf, requestVoiceState } from './voice-requests.ts';
import { VoiceServer } from './voice-server.ts';

const HEARTBEAT_INTERVAL_MS = 13_750;

interface StartVoiceOptions {
  readonly world: World;
  readonly gateway: GatewayServer;
  /** A clock that runs in real time. */
  readonly clock: Clock;
  readonly host: string;
  readonly certificate: Certificate;
  readonly heartbeatIntervalMs?: number | undefined;
  readonly modes?: readonly TransportMode[] | undefined;
}

/** Starts the voice server and connects it to the main gateway. `disposer` closes it. */
export async function startVoice(options: StartVoiceOptions, disposer: Disposer): Promise<VoiceServer> {
  const {
    world,
    gateway,
    clock,
    host,
    certificate,
    heartbeatIntervalMs = HEARTBEAT_INTERVAL_MS,
    modes,
  } = options;
  const address = host === 'localhost' ? '127.0.0.1' : host;
  const voice = disposer.use(
    new VoiceServer({
      world,
      clock,
      host: address,
      certificate,
      heartbeatIntervalMs,
      ...(modes ? { modes } : {}),
    }),
  );
  await voice.listen();
  gateway.onVoiceState((session, request) => requestVoiceState(world, voice, session, request));
  gateway.sessions.onEnd((session) => endVoiceOf(world, session));
  return voice;
}
