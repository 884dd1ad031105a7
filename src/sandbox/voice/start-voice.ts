import type { Clock } from '../../base/clock.ts';
import type { Disposer } from '../../base/disposer.ts';
import type { World } from '../chat/world.ts';
import type { GatewayServer } from '../gateway/gateway-server.ts';
import { CertificateFile } from './certificate-file.ts';
import { makeCertificate } from './certificate.ts';
import type { TransportMode } from './transport-cipher.ts';
import { endVoiceOf, requestVoiceState } from './voice-requests.ts';
import { VoiceServer } from './voice-server.ts';

const HEARTBEAT_INTERVAL_MS = 13_750;

/** What voice is started with. */
export interface StartVoiceOptions {
  readonly world: World;
  readonly gateway: GatewayServer;
  /** Real time. */
  readonly clock: Clock;
  readonly host: string;
  readonly heartbeatIntervalMs?: number | undefined;
  readonly modes?: readonly TransportMode[] | undefined;
}

/** A voice server that listens, and the certificate to trust it by. */
export interface StartedVoice {
  readonly voice: VoiceServer;
  readonly caFile: CertificateFile;
}

/** Starts the voice server and ties it to the main gateway; `disposer` gets what must be closed. */
export async function startVoice(options: StartVoiceOptions, disposer: Disposer): Promise<StartedVoice> {
  const { world, gateway, clock, host, heartbeatIntervalMs = HEARTBEAT_INTERVAL_MS, modes } = options;
  const certificate = makeCertificate(host);
  const caFile = disposer.use(await CertificateFile.write(certificate.certificatePem));
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
  return { voice, caFile };
}
