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
import { guardMessages } from './guard-messages.ts';
import { type DatagramListener, discoveryRequest, guardUdp } from './guard-udp.ts';
import { type SpeakerListener, readSpeakers } from './read-speakers.ts';
import { UdpPulse } from './udp-pulse.ts';
import { type VoiceLinkEvent, type VoiceLinkState, isOver, next } from './voice-link-state.ts';
import type { VoiceCredentials } from './voice-seat.ts';

/** The library's states in which packets arrive. Packets can be sent only in the ready state. */
type LinkedState = NetworkingReadyState | NetworkingResumingState;

export interface LinkListener extends DatagramListener, SpeakerListener {
  /** Called when the link is connected, for the first time or again after `onResuming`. */
  readonly onReady: () => void;
  /** Called when the connection broke and is being resumed. */
  readonly onResuming: () => void;
  /**
   * Called when the link ended, with the voice server's close code, or with null if the bot abandoned the link. No
   * other callback follows.
   */
  readonly onClosed: (code: number | null) => void;
  /** Called when the call's encryption is being set up again. */
  readonly onRecovery: () => void;
  /** Called if a message about the call's keys could not be handled. */
  readonly onKeyFault: () => void;
}

interface LinkOptions {
  readonly credentials: VoiceCredentials;
  readonly guildId: string;
  readonly channelId: string;
  readonly userId: string;
  /** Returns whether the bot is alone in the channel. If it is, it needs no keys. */
  readonly isAlone: () => boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly listener: LinkListener;
}

/**
 * The longest duration of each state, in milliseconds. After 2.5 s in `keying`, a link counts as ready even without
 * keys.
 */
const LIMITS_MS: Readonly<Partial<Record<VoiceLinkState['kind'], number>>> = {
  opening: 8_000,
  keying: 2_500,
  resuming: 5_000,
};
/**
 * The interval at which the request for the bot's public address is repeated. The library sends the request only once,
 * and would wait for ever if that packet were lost.
 */
const DISCOVERY_MS = 500;
const ERRORS_LOGGED_MAX = 5;

/**
 * One connection to one voice server. The library does the work; this class adds time limits and never throws. `next`
 * computes the new state after each event, and `#step` performs the effects.
 */
export class VoiceLink implements Disposable {
  readonly #options: LinkOptions;
  readonly #networking: Networking;
  readonly #guardedSockets = new WeakSet<VoiceWebSocket>();
  readonly #guardedUdp = new WeakSet<VoiceUDPSocket>();
  #state: VoiceLinkState = { kind: 'opening' };
  #deadline: Timer | null = null;
  #discovery: Timer | null = null;
  #pulse: UdpPulse | null = null;
  #errors = 0;

  constructor(options: LinkOptions) {
    const { credentials, guildId, channelId, userId } = options;
    this.#options = options;
    this.#networking = new Networking({ ...credentials, serverId: guildId, userId, channelId }, {});
    // This listener is never removed, because sockets may report errors even after they are closed, and an error
    // without a listener would end the process.
    this.#networking.on('error', (error) => this.#onError(error));
    this.#networking.on('stateChange', (before, now) => this.#onState(before, now));
    this.#networking.once('close', (code) => this.#step({ kind: 'closed', code }));
    this.#networking.on('transitioned', () => this.#step({ kind: 'keys_agreed' }));
    this.#guard(this.#networking.state);
    this.#startDeadline();
  }

  /** The library's state while packets can arrive, otherwise null. */
  get linked(): LinkedState | null {
    const { state } = this.#networking;
    const isLinked =
      state.code === NetworkingStatusCode.Ready || state.code === NetworkingStatusCode.Resuming;
    return isLinked ? state : null;
  }

  /** The library's networking object and its state while packets can be sent, otherwise null. */
  get sending(): { readonly networking: Networking; readonly state: NetworkingReadyState } | null {
    const { state } = this.#networking;
    return state.code === NetworkingStatusCode.Ready ? { networking: this.#networking, state } : null;
  }

  [Symbol.dispose](): void {
    this.#step({ kind: 'disposed' });
  }

  /** The only place that changes the state. It performs the effects of entering the new state. */
  #step(event: VoiceLinkEvent): void {
    const before = this.#state;
    const after = next(before, event);
    if (after === before) return;
    this.#state = after;
    this.#startDeadline();
    const { listener } = this.#options;
    switch (after.kind) {
      case 'ready':
        return listener.onReady();
      case 'resuming':
        return before.kind === 'ready' ? listener.onResuming() : undefined;
      case 'closed':
        this.#release();
        return listener.onClosed(after.code);
      case 'disposed':
        return this.#release();
      case 'opening':
      case 'keying':
        return undefined;
      default:
        return unreachable(after);
    }
  }

  #startDeadline(): void {
    this.#deadline?.cancel();
    const limitMs = LIMITS_MS[this.#state.kind];
    if (limitMs === undefined) return;
    this.#deadline = this.#options.clock.after(limitMs, () => this.#step({ kind: 'timed_out' }));
  }

  #release(): void {
    this.#discovery?.cancel();
    this.#pulse?.[Symbol.dispose]();
    if (this.#networking.state.code !== NetworkingStatusCode.Closed) this.#networking.destroy();
  }

  #onState(before: NetworkingState, now: NetworkingState): void {
    if (isOver(this.#state)) return;
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
        return this.#step({ kind: 'broke' });
      case NetworkingStatusCode.OpeningWs:
      case NetworkingStatusCode.Identifying:
      case NetworkingStatusCode.Closed:
        return undefined;
      default:
        return unreachable(now);
    }
  }

  #onLinked(before: NetworkingState, now: NetworkingReadyState): void {
    const { listener, isAlone } = this.#options;
    this.#pulse?.start();
    if (before.code !== NetworkingStatusCode.Resuming) {
      now.dave?.on('invalidateTransition', () => listener.onRecovery());
    }
    this.#step({ kind: 'connected', hasKeys: canEncrypt(now.dave) || isAlone() });
  }

  #askAgain(udp: VoiceUDPSocket, ssrc: number): void {
    this.#discovery = this.#options.clock.after(DISCOVERY_MS, () => {
      udp.send(discoveryRequest(ssrc));
      this.#askAgain(udp, ssrc);
    });
  }

  /** Adds the safeguards and listeners to the sockets that the library has just created, before anything can arrive. */
  #guard(state: NetworkingState): void {
    if ('ws' in state && !this.#guardedSockets.has(state.ws)) {
      this.#guardedSockets.add(state.ws);
      guardMessages(state.ws, {
        isResuming: () => this.#networking.state.code === NetworkingStatusCode.Resuming,
        onFault: (kind) => this.#onFault(kind),
        onFlood: () => this.#giveUp(),
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
        log.warn({ guildId }, 'A voice server no longer sends packets');
        this.#giveUp();
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

  #giveUp(): void {
    this.#step({ kind: 'closed', code: null });
  }

  #onFault(kind: 'json' | 'binary'): void {
    const { log, guildId, listener } = this.#options;
    this.#errors += 1;
    if (this.#errors <= ERRORS_LOGGED_MAX)
      log.warn({ guildId, kind }, 'Cannot use a message of a voice server');
    if (kind === 'binary' && !isOver(this.#state)) listener.onKeyFault();
  }

  /** The error message is not logged, because it may quote what a server sent. */
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
