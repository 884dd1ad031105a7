import {
  Networking,
  type NetworkingReadyState,
  type NetworkingResumingState,
  type NetworkingState,
  NetworkingStatusCode,
  type VoiceUDPSocket,
  type VoiceWebSocket,
} from '@discordjs/voice';
import type { Clock, Timer } from '../../../base/clock.ts';
import { systemErrorCode, unreachable } from '../../../base/errors.ts';
import type { Logger } from '../../../base/log.ts';
import { canEncrypt } from './call-cipher.ts';
import { guardMessages } from './guarded-socket.ts';
import { type DatagramListener, discoveryRequest, guardUdp } from './guarded-udp.ts';
import { type SpeakerListener, readSpeakers } from './speaker-messages.ts';
import { UdpPulse } from './udp-pulse.ts';
import type { VoiceCredentials } from './voice-seat.ts';

/** Connected: packets come and go; while it resumes they only come. */
type LinkedState = NetworkingReadyState | NetworkingResumingState;

export interface LinkListener extends DatagramListener, SpeakerListener {
  /** Connected, at first or again after `onResuming`. */
  readonly onReady: () => void;
  readonly onResuming: () => void;
  /** It ended, with the voice server's code or because it was given up; nothing follows. */
  readonly onClosed: (code: number | null) => void;
  /** The call's encryption is being set up anew. */
  readonly onRecovery: () => void;
  /** A message about the call's keys could not be handled. */
  readonly onKeyFault: () => void;
}

interface LinkOptions {
  readonly credentials: VoiceCredentials;
  readonly guildId: string;
  readonly channelId: string;
  readonly userId: string;
  /** Whether nobody else is in the channel: there is nobody to agree on keys with then. */
  readonly isAlone: () => boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly listener: LinkListener;
}

/** From the first word to ready, and from a break to being resumed, in milliseconds. */
const OPENING_MS_MAX = 8_000;
const RESUMING_MS_MAX = 5_000;
const RESUMES_MAX = 5;
/** How long the call's members may take to agree on keys before the bot counts as connected without, in milliseconds. */
const KEYS_MS_MAX = 2_500;
/** The library asks for the bot's outer address once, and would wait for ever if that got lost. */
const DISCOVERY_MS = 500;
const ERRORS_LOGGED_MAX = 5;

/** One connection to one voice server: what the library does of it, with everything bounded and nothing thrown. */
export class VoiceLink implements Disposable {
  readonly #options: LinkOptions;
  readonly #networking: Networking;
  readonly #guardedSockets = new WeakSet<VoiceWebSocket>();
  readonly #guardedUdp = new WeakSet<VoiceUDPSocket>();
  #deadline: Timer;
  /** Connected, but not yet able to read and to encrypt. */
  #awaitsKeys = false;
  #discovery: Timer | null = null;
  #pulse: UdpPulse | null = null;
  #resumes = 0;
  #errors = 0;
  #isClosed = false;

  constructor(options: LinkOptions) {
    const { credentials, guildId, channelId, userId, clock } = options;
    this.#options = options;
    this.#networking = new Networking({ ...credentials, serverId: guildId, userId, channelId }, {});
    // Never taken away: errors of sockets come after their end as well, and would end the process.
    this.#networking.on('error', (error) => this.#onError(error));
    this.#networking.on('stateChange', (before, now) => this.#onState(before, now));
    this.#networking.once('close', (code) => this.#close(code));
    this.#networking.on('transitioned', () => this.#onKeys());
    this.#guard(this.#networking.state);
    this.#deadline = clock.after(OPENING_MS_MAX, () => this.#close(null));
  }

  /** The library's state while packets come in, else null. */
  get linked(): LinkedState | null {
    const { state } = this.#networking;
    const isLinked =
      state.code === NetworkingStatusCode.Ready || state.code === NetworkingStatusCode.Resuming;
    return isLinked ? state : null;
  }

  /** While packets can be sent, else null. */
  get sending(): { readonly networking: Networking; readonly state: NetworkingReadyState } | null {
    const { state } = this.#networking;
    return state.code === NetworkingStatusCode.Ready ? { networking: this.#networking, state } : null;
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#deadline.cancel();
    this.#discovery?.cancel();
    this.#pulse?.[Symbol.dispose]();
    if (this.#networking.state.code !== NetworkingStatusCode.Closed) this.#networking.destroy();
  }

  #close(code: number | null): void {
    if (this.#isClosed) return;
    this[Symbol.dispose]();
    this.#options.listener.onClosed(code);
  }

  #onState(before: NetworkingState, now: NetworkingState): void {
    if (this.#isClosed) return;
    this.#guard(now);
    if (before.code === now.code) return;
    switch (now.code) {
      case NetworkingStatusCode.UdpHandshaking:
        return this.#askAgain(now.udp, now.connectionData.ssrc);
      case NetworkingStatusCode.SelectingProtocol:
        return this.#discovery?.cancel();
      case NetworkingStatusCode.Ready:
        return this.#onLinked(before, now);
      case NetworkingStatusCode.Resuming:
        return this.#onResuming();
      case NetworkingStatusCode.OpeningWs:
      case NetworkingStatusCode.Identifying:
      case NetworkingStatusCode.Closed:
        return undefined;
      default:
        return unreachable(now);
    }
  }

  #onLinked(before: NetworkingState, now: NetworkingReadyState): void {
    const { listener, isAlone, clock } = this.#options;
    this.#deadline.cancel();
    this.#pulse?.start();
    if (before.code !== NetworkingStatusCode.Resuming) {
      now.dave?.on('invalidateTransition', () => listener.onRecovery());
    }
    this.#awaitsKeys = true;
    if (canEncrypt(now.dave) || isAlone()) return this.#onKeys();
    this.#deadline = clock.after(KEYS_MS_MAX, () => this.#onKeys());
  }

  #onKeys(): void {
    if (!this.#awaitsKeys || this.#isClosed) return;
    this.#awaitsKeys = false;
    this.#deadline.cancel();
    this.#options.listener.onReady();
  }

  #onResuming(): void {
    this.#resumes += 1;
    this.#deadline.cancel();
    const wasReady = !this.#awaitsKeys;
    this.#awaitsKeys = false;
    if (this.#resumes > RESUMES_MAX) return this.#close(null);
    this.#deadline = this.#options.clock.after(RESUMING_MS_MAX, () => this.#close(null));
    if (wasReady) this.#options.listener.onResuming();
  }

  #askAgain(udp: VoiceUDPSocket, ssrc: number): void {
    this.#discovery = this.#options.clock.after(DISCOVERY_MS, () => {
      udp.send(discoveryRequest(ssrc));
      this.#askAgain(udp, ssrc);
    });
  }

  /** Before anything can arrive by a socket that the library has just made. */
  #guard(state: NetworkingState): void {
    if ('ws' in state && !this.#guardedSockets.has(state.ws)) {
      this.#guardedSockets.add(state.ws);
      guardMessages(state.ws, {
        isResuming: () => this.#networking.state.code === NetworkingStatusCode.Resuming,
        onFault: (kind) => this.#onFault(kind),
        onFlood: () => this.#close(null),
      });
      readSpeakers(state.ws, this.#options.listener);
    }
    if ('udp' in state && !this.#guardedUdp.has(state.udp)) {
      this.#guardedUdp.add(state.udp);
      this.#guardUdp(state.udp);
    }
  }

  #guardUdp(udp: VoiceUDPSocket): void {
    const { listener, clock, log, guildId } = this.#options;
    const pulse = new UdpPulse({
      clock,
      send: (probe) => udp.send(probe),
      onDead: () => {
        log.warn({ guildId }, 'No packets come from a voice server any more');
        this.#close(null);
      },
    });
    guardUdp(udp, {
      onDatagram: (datagram) => {
        pulse.hear(datagram);
        listener.onDatagram(datagram);
      },
      onForeign: listener.onForeign,
    });
    this.#pulse?.[Symbol.dispose]();
    this.#pulse = pulse;
  }

  #onFault(kind: 'json' | 'binary'): void {
    const { log, guildId, listener } = this.#options;
    this.#errors += 1;
    if (this.#errors <= ERRORS_LOGGED_MAX)
      log.warn({ guildId, kind }, 'Cannot use a message of a voice server');
    if (kind === 'binary' && !this.#isClosed) listener.onKeyFault();
  }

  /** What the error says is not logged: it may quote what a server sent. */
  #onError(error: Error): void {
    const { log, guildId } = this.#options;
    this.#errors += 1;
    if (this.#errors > ERRORS_LOGGED_MAX) return;
    log.warn(
      { guildId, reason: systemErrorCode(error) ?? error.name },
      'A voice connection reported an error',
    );
  }
}
