import { toPcm } from '../../media-api/pcm-pieces.ts';
import type { VoiceFormat } from '../../media-api/voice-format.ts';
import type { PaidSession } from './paid-session.ts';
import type { VoiceWire } from './voice-wire.ts';
import type { CloseReason, LineEnd } from './line-end.ts';
import type { LineStanding } from './line-standing.ts';
import type { VoiceLine } from './voice-line.ts';

/** At least this many chunks may wait, even if the maximum waiting time corresponds to less audio. */
const WAITING_CHUNKS_MIN = 2;

/** A voice session whose format is known, so that it can be used. */
export class PaidVoiceLine implements VoiceLine {
  readonly id: string;
  readonly sampleRateHz: number;
  readonly chunkFrames: number;
  readonly #session: PaidSession;
  readonly #wire: VoiceWire;
  readonly #waitingBytesMax: number;

  constructor(session: PaidSession, wire: VoiceWire, format: VoiceFormat, waitingMs: number) {
    this.id = session.id;
    this.sampleRateHz = format.sampleRateHz;
    this.chunkFrames = format.chunkFrames;
    this.#session = session;
    this.#wire = wire;
    const frames = (format.sampleRateHz * waitingMs) / 1000;
    this.#waitingBytesMax = Math.ceil(2 * Math.max(frames, WAITING_CHUNKS_MIN * format.chunkFrames));
  }

  get standing(): LineStanding {
    return this.#session.standing;
  }

  send(samples: Int16Array): boolean {
    return this.#session.send(toPcm(samples), this.#waitingBytesMax);
  }

  onConverted(listener: (samples: Int16Array) => void): void {
    this.#wire.listen(listener);
  }

  onEnd(listener: (end: LineEnd) => void): void {
    this.#session.onEnd(listener);
  }

  close(reason: CloseReason): Promise<void> {
    return this.#session.close(reason);
  }
}
