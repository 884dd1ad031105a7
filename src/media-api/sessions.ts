import { type Clock, sleep } from '../base/clock.ts';
import { type Backoff, backoffMs } from '../base/retry.ts';
import { type MediaApiError, MediaApiRefusal, MediaApiUnreachable, isMediaApiError } from './errors.ts';
import { SessionTicket } from './session-ticket.ts';
import type { CallOptions, Transport } from './transport.ts';
import { SESSION_SEGMENT, type SessionCapability } from './wire.ts';

interface VoiceSessionRequest {
  /** The length in whole minutes, 1 to 120. */
  readonly minutes: number;
  /** An id from `Voices.list`; null passes the voice through unchanged. */
  readonly voiceId: string | null;
}

interface LiveSessionRequest {
  /** The length in whole minutes, 1 to 240. */
  readonly minutes: number;
  /** At most 2,000 characters. If undefined, the service uses its own prompt, which the ticket contains. */
  readonly prompt?: string | undefined;
}

const VOICE_MINUTES_MAX = 120;
const LIVE_MINUTES_MAX = 240;
const PROMPT_LENGTH_MAX = 2_000;

/**
 * The number of times that a request to open a session is repeated when the service has no capacity and no lost session
 * of our own can be the cause.
 */
const FULL_REPEATS_MAX = 2;
const FULL_BACKOFF: Backoff = { delayMsFirst: 1_500, delayMsMax: 5_000 };
/** The longest wait until a lost session has freed its capacity, which takes about a minute. */
const GHOST_MS_MAX = 90_000;
const GHOST_BACKOFF: Backoff = { delayMsFirst: 4_000, delayMsMax: 10_000 };
const REPEAT_BACKOFF: Backoff = { delayMsFirst: 500, delayMsMax: 500 };
const ASKED_WAIT_MS_MAX = 10_000;

/** Opens live and voice sessions. Opening is free; a session is charged from its first converted frame. */
export class Sessions {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #allowInsecure: boolean;

  constructor(transport: Transport, options: { readonly clock: Clock; readonly allowInsecureHttp: boolean }) {
    this.#transport = transport;
    this.#clock = options.clock;
    this.#allowInsecure = options.allowInsecureHttp;
  }

  /** Opens a voice session. Throws the same errors as `#open`, and `RangeError` for minutes out of range. */
  openVoice(request: VoiceSessionRequest, options: CallOptions = {}): Promise<SessionTicket> {
    assertMinutes(request.minutes, VOICE_MINUTES_MAX);
    const voice = request.voiceId === null ? {} : { voice_profile_id: request.voiceId };
    return this.#open('voice_swap', { duration_minutes: request.minutes, ...voice }, options);
  }

  /** Opens a live session. Throws the same errors as `#open`, and `RangeError` for minutes or a prompt out of range. */
  openLive(request: LiveSessionRequest, options: CallOptions = {}): Promise<SessionTicket> {
    assertMinutes(request.minutes, LIVE_MINUTES_MAX);
    if ((request.prompt?.length ?? 0) > PROMPT_LENGTH_MAX) {
      throw new RangeError(
        `Cannot open a session: its prompt is longer than ${PROMPT_LENGTH_MAX} characters`,
      );
    }
    const prompt = request.prompt === undefined ? {} : { prompt: request.prompt };
    return this.#open('live_swap_pro', { duration_minutes: request.minutes, ...prompt }, options);
  }

  /**
   * Opens a session. The request has no idempotency key. If it fails but may have been carried out, it is repeated
   * once. The session of the first request, to which no client connects, costs nothing, but it may use up
   * capacity for about a minute, so the repeated request may have to wait for it to end. Throws `MediaApiRefusal` or
   * `MediaApiUnreachable`.
   */
  async #open(capability: SessionCapability, body: object, options: CallOptions): Promise<SessionTicket> {
    const segment = SESSION_SEGMENT[capability];
    const action = `open a ${segment} session`;
    const patience = new RepeatPolicy(this.#clock);
    for (;;) {
      try {
        return await this.#transport.call(
          {
            method: 'POST',
            target: `/${segment}/session`,
            action,
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
            decode: (json) => SessionTicket.read(json, { allowInsecure: this.#allowInsecure }),
            priority: 'interactive',
            attemptsMax: 1,
          },
          { ...options, returnsForCapacity: true },
        );
      } catch (error) {
        const delayMs = isMediaApiError(error) ? patience.after(error) : undefined;
        if (delayMs === undefined) throw error;
        await sleep(this.#clock, delayMs, options.signal).catch((cause: unknown) => {
          const details = { code: 'aborted', phase: 'queue', ambiguous: patience.hasGhost, cause } as const;
          throw new MediaApiUnreachable(action, details);
        });
      }
    }
  }
}

/** Decides whether and when a request to open a session is repeated. */
class RepeatPolicy {
  readonly #clock: Clock;
  #hasRepeated = false;
  #fullRepeats = 0;
  #ghostUntil: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether there may be a session whose ticket was lost. */
  get hasGhost(): boolean {
    return this.#ghostUntil !== undefined;
  }

  /** Returns the milliseconds until the next attempt, or undefined if there is none. */
  after(error: MediaApiError): number | undefined {
    if (error.ambiguous) this.#ghostUntil ??= this.#clock.monotonic() + GHOST_MS_MAX;
    if (error instanceof MediaApiRefusal && error.retry !== 'service_fault') return this.#afterRefusal(error);
    const isWorthIt = error instanceof MediaApiRefusal || REPEATED.includes(error.code);
    if (this.#hasRepeated || !isWorthIt) return undefined;
    this.#hasRepeated = true;
    return backoffMs(REPEAT_BACKOFF, 1);
  }

  #afterRefusal({ retry, code, retryAfterMs }: MediaApiRefusal): number | undefined {
    if (retry !== 'soon') return undefined;
    const isGhosts = this.#ghostUntil !== undefined && this.#clock.monotonic() < this.#ghostUntil;
    if (!isGhosts && (code !== 'at_capacity' || this.#fullRepeats >= FULL_REPEATS_MAX)) return undefined;
    this.#fullRepeats += 1;
    const delayMs = backoffMs(isGhosts ? GHOST_BACKOFF : FULL_BACKOFF, this.#fullRepeats);
    return Math.max(Math.min(retryAfterMs ?? 0, ASKED_WAIT_MS_MAX), delayMs);
  }
}

const REPEATED: readonly string[] = ['timed_out', 'connection_failed', 'connection_lost', 'bad_answer'];

function assertMinutes(minutes: number, most: number): void {
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > most) {
    throw new RangeError(`Cannot open a session: its minutes are not 1 to ${most}`);
  }
}
