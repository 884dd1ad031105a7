import type { Clock, Timer } from '../../../base/clock.ts';
import { unreachable } from '../../../base/errors.ts';
import type { Logger } from '../../../base/log.ts';
import { judgeClose } from './judge-close.ts';
import { type Backoff, backoffMs } from '../../../base/retry.ts';
import {
  type CallPhase,
  START,
  type VoiceCallEvent,
  type VoiceCallState,
  next,
  serverOf,
} from './voice-call-state.ts';
import { type LinkListener, VoiceLink } from './voice-link.ts';
import { type SeatGuild, type VoiceCredentials, VoiceSeat } from './voice-seat.ts';
import type { EndpointEnd } from '../../sessions/voice-swap/voice-endpoint.ts';

interface CallListener extends Pick<
  LinkListener,
  'onDatagram' | 'onForeign' | 'onSpeaker' | 'onGone' | 'onKeys' | 'onRecovery' | 'onKeyFault'
> {
  /**
   * Called when the call starts a connection to a voice server. All data from an earlier connection becomes invalid.
   */
  readonly onNewServer: () => void;
  /** Called when the call is connected, for the first time or again. */
  readonly onReady: () => void;
  /** Called when the connection broke and is being restored. */
  readonly onInterrupted: () => void;
  /** Called when the call has ended. No other callback follows. */
  readonly onEnded: (end: EndpointEnd) => void;
}

interface CallOptions {
  readonly guild: SeatGuild;
  readonly channelId: string;
  /** Returns whether the channel still exists. */
  readonly exists: () => boolean;
  readonly userId: string;
  /** Returns whether the bot is the only one in the channel. */
  readonly isAlone: () => boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly listener: CallListener;
}

/** How long the main gateway may take to answer, in milliseconds. */
const ANSWER_MS_MAX = 5_000;
/** How long the main gateway may take to name another voice server, in milliseconds. */
const OTHER_SERVER_MS_MAX = 10_000;
/**
 * The longest time between the voice server's message and the main gateway's message about the same event, in
 * milliseconds.
 */
const MOMENT_MS = 400;
const BACKOFF: Backoff = { delayMsFirst: 500, delayMsMax: 8_000 };

/**
 * Keeps the bot connected to one voice channel until it leaves, is removed, or fails to connect too many times in a
 * row. `next` computes the new state after each event, and `#step` performs the effects.
 */
export class VoiceCall implements Disposable {
  readonly #options: CallOptions;
  readonly #seat: VoiceSeat;
  #state = START;
  /** The timer that ends the current phase. */
  #timer: Timer | null = null;
  #link: VoiceLink | null = null;

  constructor(options: CallOptions) {
    this.#options = options;
    this.#seat = new VoiceSeat(options.guild, {
      onCredentials: (server) => this.#step({ kind: 'server_named', server }),
      onServerGone: () => this.#step({ kind: 'server_gone' }),
      onPlace: (channelId) => this.#step({ kind: 'placed', where: this.#whereIs(channelId) }),
      onLost: () => this.end('unreachable'),
    });
    this.#timer = this.#startTimer(this.#state);
  }

  /** The number of times the connection was restored. */
  get rejoins(): number {
    return Math.max(0, this.#state.connections - 1);
  }

  get link(): VoiceLink | null {
    const { kind } = this.#state.phase;
    return kind === 'linked' || kind === 'resuming' ? this.#link : null;
  }

  [Symbol.dispose](): void {
    this.end('closed');
  }

  /** Leaves the channel if the bot is still in it. */
  end(why: EndpointEnd): void {
    this.#step({ kind: 'ended', why });
  }

  #whereIs(channelId: string | null): 'here' | 'elsewhere' | 'nowhere' {
    if (channelId === null) return 'nowhere';
    return channelId === this.#options.channelId ? 'here' : 'elsewhere';
  }

  /**
   * The only place that changes the state. It performs the effects of leaving a phase and of entering the next one.
   */
  #step(event: VoiceCallEvent): void {
    const before = this.#state;
    const after = next(before, event);
    this.#state = after;
    if (after.phase === before.phase) return;
    this.#timer?.cancel();
    this.#timer = this.#startTimer(after);
    if (serverOf(after) !== serverOf(before)) this.#closeLink();
    if (before.phase.kind === 'linked' && after.phase.kind !== 'ended') {
      this.#options.listener.onInterrupted();
    }
    this.#enter(before, after);
  }

  #enter(before: VoiceCallState, { phase }: VoiceCallState): void {
    switch (phase.kind) {
      case 'asking':
        return this.#ask(before.phase.kind === 'pausing' && before.phase.isUnanswered);
      case 'linking':
        return this.#openLink(phase.server);
      case 'linked':
        return this.#options.listener.onReady();
      case 'ended':
        if (phase.mustLeave) this.#seat.leave();
        this.#seat[Symbol.dispose]();
        return this.#options.listener.onEnded(phase.why);
      case 'pausing':
      case 'moving':
      case 'resuming':
      case 'leaving':
        return undefined;
      default:
        return unreachable(phase);
    }
  }

  #startTimer({ phase, attempts }: VoiceCallState): Timer | null {
    const delayMs = delayMsOf(phase.kind, attempts);
    if (delayMs === null) return null;
    const { clock, exists } = this.#options;
    return clock.after(delayMs, () => this.#step({ kind: 'timed_out', exists: exists() }));
  }

  /**
   * Requests a voice server. If Discord did not answer the last request, the bot leaves the channel first, because
   * Discord may assume that the bot is already connected.
   */
  #ask(isUnanswered: boolean): void {
    if (isUnanswered) this.#seat.leave();
    if (!this.#seat.take(this.#options.channelId)) this.#step({ kind: 'not_asked' });
  }

  #openLink(credentials: VoiceCredentials): void {
    const { guild, channelId, userId, isAlone, clock, log, listener } = this.#options;
    listener.onNewServer();
    try {
      this.#link = new VoiceLink({
        credentials,
        guildId: guild.id,
        channelId,
        userId,
        isAlone,
        clock,
        log,
        listener: {
          ...listener,
          onReady: () => this.#step({ kind: 'link_ready', atMs: clock.monotonic() }),
          onResuming: () => this.#step({ kind: 'link_resuming' }),
          onClosed: (code) => this.#onClosed(code),
        },
      });
    } catch (error) {
      log.error({ guildId: guild.id, error }, 'Cannot connect to a voice server');
      this.#step({ kind: 'link_failed' });
    }
  }

  #closeLink(): void {
    this.#link?.[Symbol.dispose]();
    this.#link = null;
  }

  #onClosed(code: number | null): void {
    const { clock, log, guild } = this.#options;
    const verdict = judgeClose(code);
    log.info({ guildId: guild.id, code, verdict }, 'A voice connection closed');
    if (verdict === 'refused') {
      log.error(
        { guildId: guild.id, code },
        'Discord requires end-to-end encryption for voice: is @snazzah/davey installed?',
      );
    }
    this.#step({ kind: 'link_closed', verdict, atMs: clock.monotonic() });
  }
}

/** Returns the time limit of a phase in milliseconds; null if it has none. */
function delayMsOf(kind: CallPhase['kind'], attempts: number): number | null {
  switch (kind) {
    case 'pausing':
      return attempts === 0 ? 0 : backoffMs(BACKOFF, attempts);
    case 'asking':
      return ANSWER_MS_MAX;
    case 'moving':
      return OTHER_SERVER_MS_MAX;
    case 'leaving':
      return MOMENT_MS;
    case 'linking':
    case 'linked':
    case 'resuming':
    case 'ended':
      return null;
    default:
      return unreachable(kind);
  }
}
