import type { Clock, Timer } from '../../../base/clock.ts';
import { unreachable } from '../../../base/errors.ts';
import type { Logger } from '../../../base/log.ts';
import { RejoinBudget, judgeClose } from './rejoin-policy.ts';
import { type LinkListener, VoiceLink } from './voice-link.ts';
import { type SeatGuild, type VoiceCredentials, VoiceSeat } from './voice-seat.ts';
import type { EndpointEnd } from '../../sessions/voice-swap/voice-endpoint.ts';

interface CallListener extends Pick<
  LinkListener,
  'onDatagram' | 'onForeign' | 'onSpeaker' | 'onGone' | 'onKeys' | 'onRecovery' | 'onKeyFault'
> {
  /** A connection to a voice server begins: nothing of a former one holds. */
  readonly onNewServer: () => void;
  /** Connected, at first or again. */
  readonly onReady: () => void;
  /** The connection broke and is being made again. */
  readonly onInterrupted: () => void;
  /** Nothing follows. */
  readonly onEnded: (end: EndpointEnd) => void;
}

interface CallOptions {
  readonly guild: SeatGuild;
  readonly channelId: string;
  /** Whether the channel is still there. */
  readonly exists: () => boolean;
  readonly userId: string;
  readonly isAlone: () => boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly listener: CallListener;
}

type State =
  /** The main gateway was asked for a voice server, or is to name another. */
  | { readonly kind: 'asking'; readonly timer: Timer }
  | { readonly kind: 'linking'; readonly link: VoiceLink }
  | { readonly kind: 'linked'; readonly link: VoiceLink; readonly sinceMs: number }
  | { readonly kind: 'resuming'; readonly link: VoiceLink; readonly sinceMs: number }
  | { readonly kind: 'pausing'; readonly timer: Timer }
  /** Sent away; why, or to which other voice server (unless `isOut` of the channel), is told in a moment. */
  | { readonly kind: 'leaving'; readonly timer: Timer; readonly isOut: boolean }
  | { readonly kind: 'ended' };

const ANSWER_MS_MAX = 5_000;
const OTHER_SERVER_MS_MAX = 10_000;
/** Between what the voice server and what the main gateway say of one event, in milliseconds. */
const MOMENT_MS = 400;

/** Keeps the bot connected to one voice channel, within bounds, until it is sent away or leaves. */
export class VoiceCall implements Disposable {
  readonly #options: CallOptions;
  readonly #seat: VoiceSeat;
  readonly #budget = new RejoinBudget();
  #state: State;
  #isSeated = false;
  #isUnanswered = false;
  #wasReady = false;
  #rejoins = 0;

  constructor(options: CallOptions) {
    this.#options = options;
    this.#seat = new VoiceSeat(options.guild, {
      onCredentials: (credentials) => this.#link(credentials),
      onServerGone: () => this.#await(OTHER_SERVER_MS_MAX),
      onPlace: (channelId) => this.#onPlace(channelId),
      onLost: () => this.end('unreachable'),
    });
    this.#state = { kind: 'pausing', timer: options.clock.after(0, () => this.#ask()) };
  }

  /** Times that the connection was made again. */
  get rejoins(): number {
    return this.#rejoins;
  }

  get link(): VoiceLink | null {
    const state = this.#state;
    return state.kind === 'linked' || state.kind === 'resuming' ? state.link : null;
  }

  [Symbol.dispose](): void {
    this.end('closed');
  }

  /** Leaves the channel, if the bot is still in one. */
  end(reason: EndpointEnd): void {
    if (this.#state.kind === 'ended') return;
    this.#quit();
    this.#state = { kind: 'ended' };
    if (this.#isSeated || reason === 'closed' || reason === 'unreachable') this.#seat.leave();
    this.#seat[Symbol.dispose]();
    this.#options.listener.onEnded(reason);
  }

  #ask(): void {
    // Discord may have nothing to tell to whom it takes for connected: what answers then is coming in anew.
    if (this.#isUnanswered) {
      this.#isSeated = false;
      this.#seat.leave();
    }
    this.#isUnanswered = false;
    if (this.#seat.take(this.#options.channelId)) this.#await(ANSWER_MS_MAX);
    else this.#again(0);
  }

  /** For a voice server to be named. */
  #await(limitMs: number): void {
    if (this.#isOver()) return;
    this.#interrupt();
    this.#quit();
    const timer = this.#after(limitMs, () => {
      this.#isUnanswered = true;
      this.#again(0);
    });
    this.#state = { kind: 'asking', timer };
  }

  #link(credentials: VoiceCredentials): void {
    if (this.#isOver()) return;
    this.#interrupt();
    this.#quit();
    const { guild, channelId, userId, isAlone, clock, log, listener } = this.#options;
    listener.onNewServer();
    try {
      const link: VoiceLink = new VoiceLink({
        credentials,
        guildId: guild.id,
        channelId,
        userId,
        isAlone,
        clock,
        log,
        listener: {
          ...listener,
          onReady: () => this.#onReady(link),
          onResuming: () => this.#onResuming(link),
          onClosed: (code) => this.#onClosed(code),
        },
      });
      this.#state = { kind: 'linking', link };
    } catch (error) {
      log.error({ guildId: guild.id, error }, 'Cannot connect to a voice server');
      this.#again(0);
    }
  }

  #onReady(link: VoiceLink): void {
    const before = this.#state;
    const sinceMs = before.kind === 'resuming' ? before.sinceMs : this.#options.clock.monotonic();
    this.#state = { kind: 'linked', link, sinceMs };
    if (this.#wasReady) this.#rejoins += 1;
    this.#wasReady = true;
    this.#options.listener.onReady();
  }

  #onResuming(link: VoiceLink): void {
    if (this.#state.kind !== 'linked') return;
    const { sinceMs } = this.#state;
    this.#interrupt();
    this.#state = { kind: 'resuming', link, sinceMs };
  }

  #onClosed(code: number | null): void {
    const { log, guild } = this.#options;
    const state = this.#state;
    const heldMs =
      state.kind === 'linked' || state.kind === 'resuming'
        ? this.#options.clock.monotonic() - state.sinceMs
        : 0;
    this.#interrupt();
    const verdict = judgeClose(code);
    log.info({ guildId: guild.id, code, verdict }, 'A voice connection closed');
    switch (verdict) {
      case 'rejoin':
        return this.#again(heldMs);
      case 'dismissed':
        return this.#leaveSoon(false);
      case 'stay_away':
        return this.end('disconnected');
      case 'refused':
        log.error(
          { guildId: guild.id, code },
          'Discord takes no voice connection without end-to-end encryption: is @snazzah/davey installed?',
        );
        return this.end('unreachable');
      default:
        unreachable(verdict);
    }
  }

  #again(heldMs: number): void {
    if (this.#state.kind === 'ended') return;
    const delayMs = this.#budget.next(heldMs);
    if (delayMs === null) return this.end('unreachable');
    this.#quit();
    this.#state = { kind: 'pausing', timer: this.#after(delayMs, () => this.#ask()) };
  }

  #onPlace(channelId: string | null): void {
    if (channelId === this.#options.channelId) {
      this.#isSeated = true;
      return;
    }
    if (!this.#isSeated || this.#isOver()) return;
    if (channelId !== null) return this.end('moved');
    this.#isSeated = false;
    this.#interrupt();
    this.#leaveSoon(true);
  }

  /** Whether the channel was deleted, or the bot moved, is said by another message. */
  #leaveSoon(isOut: boolean): void {
    this.#quit();
    const timer = this.#after(MOMENT_MS, () => {
      this.end(this.#options.exists() ? 'disconnected' : 'channel_deleted');
    });
    this.#state = { kind: 'leaving', timer, isOut };
  }

  #isOver(): boolean {
    return this.#state.kind === 'ended' || (this.#state.kind === 'leaving' && this.#state.isOut);
  }

  #interrupt(): void {
    if (this.#state.kind === 'linked') this.#options.listener.onInterrupted();
  }

  /** Ends what the present state has running. */
  #quit(): void {
    const state = this.#state;
    switch (state.kind) {
      case 'asking':
      case 'pausing':
      case 'leaving':
        return state.timer.cancel();
      case 'linking':
      case 'linked':
      case 'resuming':
        return state.link[Symbol.dispose]();
      case 'ended':
        return undefined;
      default:
        return unreachable(state);
    }
  }

  #after(delayMs: number, fire: () => void): Timer {
    return this.#options.clock.after(delayMs, fire);
  }
}
