import type { Clock } from '../../base/clock.ts';
import { LinkedSignal } from '../../base/linked-signal.ts';
import type { MediaApi } from '../../media-api/media-api.ts';
import type { VoiceFormat } from '../../media-api/voice-format.ts';
import { LiveError } from './live-error.ts';
import type { LiveLimits } from './live-limits.ts';
import type { PaidSession } from './paid-session.ts';
import type { PaidSessions } from './paid-sessions.ts';
import { PaidVoiceLine, VoiceWire, type VoiceLine } from './voice-line.ts';

/** A request to convert a member's speech. */
export interface VoiceLineRequest {
  readonly guildId: string;
  /** The voice channel in which the member speaks. */
  readonly channelId: string;
  readonly userId: string;
  /** The member's roles, for caps of roles. */
  readonly roleIds: readonly string[];
  /** One of the service's voices. Null passes the voice through unchanged, which also needs a session. */
  readonly voiceId: string | null;
  /** Range 1 to 120. */
  readonly minutes: number;
}

/**
 * Opens paid voice sessions. `max_cost_usd` is held before the service is asked, so a member who cannot pay it is refused
 * before anything is opened. Throws `LiveError`, whose text is for the member.
 */
export interface VoiceLines {
  open(request: VoiceLineRequest, signal?: AbortSignal): Promise<VoiceLine>;
}

interface PaidVoiceLinesOptions {
  readonly sessions: PaidSessions;
  readonly api: Pick<MediaApi, 'sessions'>;
  readonly clock: Clock;
  readonly limits: LiveLimits;
}

/** Opens voice sessions; any number of one member at a time, so that one can take over from another. */
export class PaidVoiceLines implements VoiceLines {
  readonly #options: PaidVoiceLinesOptions;

  constructor(options: PaidVoiceLinesOptions) {
    this.#options = options;
  }

  async open(request: VoiceLineRequest, signal?: AbortSignal): Promise<VoiceLine> {
    const { sessions, api, limits } = this.#options;
    const { minutes, voiceId, ...whose } = request;
    const wire = new VoiceWire();
    const session = await sessions.open(
      {
        ...whose,
        voiceId,
        capability: 'voice_swap',
        seconds: minutes * 60,
        ask: (options) => api.sessions.openVoice({ minutes, voiceId }, options),
      },
      wire,
      signal,
    );
    const format = await this.#formatOf(session, wire, signal);
    return new PaidVoiceLine(session, wire, format, limits.waitingAudioMs);
  }

  /** Nothing is sent before the service has said how it speaks, so nothing can be charged until then. */
  async #formatOf(session: PaidSession, wire: VoiceWire, signal?: AbortSignal): Promise<VoiceFormat> {
    const { clock, limits } = this.#options;
    using linked = new LinkedSignal(signal);
    session.onEnd(() => linked.abort(new LiveError('unreachable')));
    try {
      return await wire.format(clock, limits.formatMs, linked.signal);
    } catch (cause) {
      await session.giveUp('no_format');
      throw new LiveError('unreachable', { cause });
    }
  }
}
