import type { Clock } from '../../base/clock.ts';
import { LinkedSignal } from '../../base/linked-signal.ts';
import type { MediaApi } from '../../media-api/media-api.ts';
import type { VoiceFormat } from '../../media-api/voice-format.ts';
import { SessionError } from './session-error.ts';
import type { SessionLimits } from './session-limits.ts';
import type { PaidSession } from './paid-session.ts';
import type { SessionOpener } from './session-opener.ts';
import type { VoiceLine } from './voice-line.ts';
import type { VoiceLineRequest, VoiceLines } from './voice-lines.ts';
import { VoiceWire } from './voice-wire.ts';
import { PaidVoiceLine } from './paid-voice-line.ts';

interface PaidVoiceLinesOptions {
  readonly sessions: SessionOpener;
  readonly api: Pick<MediaApi, 'sessions'>;
  readonly clock: Clock;
  readonly limits: SessionLimits;
}

/** Opens voice sessions. A member can have several at a time, so that one session can take over from another. */
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

  /** Waits for the session's audio format. Nothing is sent before it arrives, so nothing can be charged until then. */
  async #formatOf(session: PaidSession, wire: VoiceWire, signal?: AbortSignal): Promise<VoiceFormat> {
    const { clock, limits } = this.#options;
    using linked = new LinkedSignal(signal);
    session.onEnd(() => linked.abort(new SessionError('unreachable')));
    try {
      return await wire.format(clock, limits.formatMs, linked.signal);
    } catch (cause) {
      await session.giveUp('no_format');
      throw new SessionError('unreachable', { cause });
    }
  }
}
