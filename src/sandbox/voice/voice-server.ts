import { once } from 'node:events';
import { type Server, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../base/clock.ts';
import type { VoiceState } from '../chat/guild.ts';
import type { Payload } from '../chat/payload.ts';
import { leaveVoice } from '../chat/voice-states.ts';
import type { VoiceMove, World } from '../chat/world.ts';
import { refuseUpgrade } from '../refuse-upgrade.ts';
import type { Certificate } from './certificate.ts';
import { discoveryAnswer, readDiscovery } from './ip-discovery.ts';
import { MediaSocket, type Remote, remoteKey } from './media-socket.ts';
import { TRANSPORT_MODES, type TransportMode } from './transport-cipher.ts';
import { VoiceConnection, type VoiceConnectionHost } from './voice-connection.ts';
import { VOICE_CLOSE_CODES, canResumeAfter } from './voice-frames.ts';
import type { VoiceSession } from './voice-session.ts';
import { VoiceSessions } from './voice-sessions.ts';
import { VoiceWire } from './voice-wire.ts';

const SOCKET_PAYLOAD_BYTES_MAX = 64 * 1024;
/** The time for which a session can be resumed after it has lost its connection. */
const RESUME_WINDOW_MS = 60_000;
const KEEP_ALIVE_BYTES = 8;

interface VoiceServerOptions {
  readonly world: World;
  /** A clock that runs in real time. */
  readonly clock: Clock;
  readonly host: string;
  readonly certificate: Certificate;
  readonly heartbeatIntervalMs: number;
  /**
   * The encryption modes offered to clients, which choose the first mode that they support. Default: AES-GCM, then
   * XChaCha20.
   */
  readonly modes?: readonly TransportMode[];
}

/** The voice gateway (v8, over TLS) and its UDP socket. VOICE_SERVER_UPDATE contains the gateway's address. */
export class VoiceServer implements AsyncDisposable {
  readonly #options: VoiceServerOptions;
  readonly #world: World;
  readonly #https: Server;
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: SOCKET_PAYLOAD_BYTES_MAX,
    perMessageDeflate: false,
  });
  readonly #media: MediaSocket;
  readonly #sessions: VoiceSessions;
  readonly #connections = new Set<VoiceConnection>();
  #mediaPort = 0;
  #discoveriesToDrop = 0;

  constructor(options: VoiceServerOptions) {
    this.#options = options;
    this.#world = options.world;
    const { certificatePem: cert, keyPem: key } = options.certificate;
    this.#https = createServer({ cert, key });
    this.#media = new MediaSocket(options.clock);
    this.#sessions = new VoiceSessions(this.#world.calls, this.#media);
  }

  /** `127.0.0.1:PORT`, without a scheme, as in VOICE_SERVER_UPDATE. */
  get endpoint(): string {
    return `${this.#options.host}:${(this.#https.address() as AddressInfo).port}`;
  }

  async listen(): Promise<void> {
    const { host } = this.#options;
    this.#mediaPort = await this.#media.open(host, (datagram, from) => this.#takeDatagram(datagram, from));
    this.#https.on('upgrade', (request, socket, head) => {
      if (URL.parse(request.url ?? '/', 'wss://voice')?.searchParams.get('v') === '8') {
        return this.#sockets.handleUpgrade(request, socket, head, (client) => this.#accept(client));
      }
      this.#world.violations.record('gateway_rule', 'voice gateway', 'A version other than 8');
      return refuseUpgrade(socket, '400 Bad Request');
    });
    this.#https.listen(0, host);
    await once(this.#https, 'listening');
    this.#world.onVoiceMove((move) => this.#follow(move));
  }

  /** Sends a bot the voice server's address for its current channel, unless the bot is already connected. */
  invite(state: VoiceState): void {
    const session = this.#sessions.of(state);
    if (session?.messages.wire?.isOpen) return;
    // If the bot still has a session, it has requested the address again instead of resuming that session.
    this.#sessions.end(state, VOICE_CLOSE_CODES.sessionInvalid);
    this.#sendServer(state, this.#sessions.admit(state).token, this.endpoint);
  }

  /** Returns the bot's voice session, if it has one. */
  session(state: VoiceState): VoiceSession | undefined {
    return this.#sessions.of(state);
  }

  /** Closes the connections of all bots in a channel, with this close code. After 4015 and 1006 the bots may resume. */
  close(channelId: string, code: number): void {
    for (const session of this.#sessionsIn(channelId)) {
      if (canResumeAfter(code)) session.messages.wire?.close(code);
      else this.#sessions.end(session.state, code);
    }
  }

  /**
   * Moves a channel's call to another server: bots are disconnected, receive an update without a server, and receive
   * the new server's address after `afterMs`.
   */
  changeServer(channelId: string, afterMs: number): void {
    for (const { state } of this.#sessionsIn(channelId)) {
      const { token } = this.#sessions.admit(state);
      this.#sendServer(state, token, null);
      this.#sessions.end(state, VOICE_CLOSE_CODES.callTerminated);
      const invite = (): void => {
        if (this.#sessions.hasTicket(state, token)) this.#sendServer(state, token, this.endpoint);
      };
      this.#options.clock.after(afterMs, invite, { background: true });
    }
  }

  /** Does not answer the next `times` address requests (IP discovery) from bots. */
  dropDiscoveries(times: number): void {
    this.#discoveriesToDrop += times;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.#connections) {
      connection.ended(1006);
      connection.close(1006);
    }
    this.#connections.clear();
    this.#sockets.close();
    await this.#media[Symbol.asyncDispose]();
    this.#https.closeAllConnections();
    await new Promise<void>((done) => this.#https.close(() => done()));
  }

  #sessionsIn(channelId: string): readonly VoiceSession[] {
    return this.#sessions.all.filter(({ ticket }) => ticket.call.channelId === channelId);
  }

  #follow({ state, to }: VoiceMove): void {
    if (!state.member.user.bot) {
      if (to === null) this.#world.calls.memberLeft(state);
      else this.#world.calls.memberEntered(state);
      return;
    }
    const isGone = to === null && !this.#world.channels.has(state.channelId);
    const code = isGone ? VOICE_CLOSE_CODES.callTerminated : VOICE_CLOSE_CODES.disconnected;
    this.#sessions.dismiss(state, code);
    if (to !== null) this.invite(state);
  }

  #sendServer(state: VoiceState, token: string, endpoint: string | null): void {
    const { guildId } = state;
    const data: Payload = { token, guild_id: guildId, endpoint };
    for (const application of this.#world.applications.values()) {
      if (application.bot !== state.member.user) continue;
      const applicationId = application.id;
      this.#world.emit({
        event: 'VOICE_SERVER_UPDATE',
        intents: 0,
        applicationId,
        guildId,
        data: () => data,
      });
    }
  }

  #accept(socket: WebSocket): void {
    const connection = new VoiceConnection(this.#host(), new VoiceWire(socket));
    this.#connections.add(connection);
    socket.on('error', () => socket.terminate());
    socket.on('message', (data, isBinary) => {
      const bytes = toBuffer(data);
      if (isBinary) connection.receiveBinary(bytes);
      else connection.receive(bytes.toString('utf8'));
    });
    socket.on('close', (code) => {
      connection.ended(code);
      this.#connections.delete(connection);
      this.#world.changes.notify();
    });
  }

  #host(): VoiceConnectionHost {
    const { clock, heartbeatIntervalMs, host, modes = TRANSPORT_MODES } = this.#options;
    return {
      violations: this.#world.violations,
      clock,
      heartbeatIntervalMs,
      media: { ip: host, port: this.#mediaPort, modes },
      identify: (identify) => this.#sessions.identify(identify),
      resume: (resume) => this.#sessions.resume(resume),
      lost: (session, canResume) => this.#lost(session, canResume),
    };
  }

  /**
   * A bot that closes its connection may connect again. If a bot loses its connection and does not resume, it leaves
   * the channel.
   */
  #lost(session: VoiceSession, canResume: boolean): void {
    const { state, messages } = session;
    if (!canResume) {
      if (this.#sessions.of(state) === session) this.#sessions.end(state, VOICE_CLOSE_CODES.sessionTimedOut);
      return;
    }
    const { losses } = messages;
    const drop = (): void => {
      const guild = this.#world.guilds.get(state.guildId);
      const isCurrent = this.#sessions.of(state) === session;
      const isAway = isCurrent && !messages.wire && messages.losses === losses;
      if (isAway && guild) leaveVoice(this.#world, guild, state);
    };
    this.#options.clock.after(RESUME_WINDOW_MS, drop, { background: true });
  }

  #takeDatagram(datagram: Buffer, from: Remote): void {
    const ssrc = readDiscovery(datagram);
    if (ssrc !== undefined) return this.#answerDiscovery(ssrc, from);
    const session = this.#sessions.from(remoteKey(from));
    if (!session) return;
    if (datagram.byteLength === KEEP_ALIVE_BYTES) {
      if (!session.ticket.call.faults.isDeadFor(session.userId)) this.#media.send(from, datagram);
      return;
    }
    const verdict = session.takeDatagram(datagram);
    if (verdict === 'passed' || verdict === 'ignored') return;
    this.#world.violations.record('gateway_rule', 'voice packet', verdict);
  }

  #answerDiscovery(ssrc: number, from: Remote): void {
    const session = this.#sessions.withSsrc(ssrc);
    if (!session) return;
    if (this.#discoveriesToDrop > 0) {
      this.#discoveriesToDrop--;
      return;
    }
    session.discovered(from);
    this.#media.send(from, discoveryAnswer(ssrc, from.address, from.port));
  }
}

function toBuffer(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
