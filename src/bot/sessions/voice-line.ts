import { type Clock, withDeadline } from '../../base/clock.ts';
import { PcmPieces, toPcm } from '../../media-api/pcm-pieces.ts';
import { type VoiceFormat, readVoiceFormat } from '../../media-api/voice-format.ts';
import type { PaidSession, SessionListener } from './paid-session.ts';
import type { LineStanding } from './line-standing.ts';
import type { CloseReason, LineEnd } from './line-end.ts';

/** An open voice session at the service. It is paid by the second from its first converted frame. */
export interface VoiceLine {
  /** The id of the session's row in the books. */
  readonly id: string;
  /** Samples per second of both directions, mono 16-bit. */
  readonly sampleRateHz: number;
  /** The approximate number of samples that one message should hold. */
  readonly chunkFrames: number;
  /** Sends a chunk at once. Returns false if the service does not read. The chunk is then dropped, because nothing queues. */
  send(samples: Int16Array): boolean;
  /** Sets the listener for converted speech, which arrives in pieces of any length. */
  onConverted(listener: (samples: Int16Array) => void): void;
  /** Calls `listener` once, however the session ends, also after `close`. */
  onEnd(listener: (end: LineEnd) => void): void;
  /** The state now. */
  readonly standing: LineStanding;
  /** Ends the session by closing the socket, and resolves when it is closed. The charge is settled later. */
  close(reason: CloseReason): Promise<void>;
}

/** What comes over the socket of a voice session: first how it speaks, then converted speech in pieces of any length. */
export class VoiceWire implements SessionListener {
  readonly #pieces = new PcmPieces();
  readonly #formatted: Promise<VoiceFormat>;
  #tell: (format: VoiceFormat) => void = () => undefined;
  #listener: ((samples: Int16Array) => void) | undefined;

  constructor() {
    this.#formatted = new Promise((resolve) => (this.#tell = resolve));
  }

  /** Waits for the configuration frame. Throws `DeadlineError` or the signal's reason. */
  format(clock: Clock, limitMs: number, signal?: AbortSignal): Promise<VoiceFormat> {
    return withDeadline(clock, limitMs, () => this.#formatted, signal);
  }

  /** Only the first format counts; texts of other kinds are none of ours. */
  onText(text: string): void {
    const format = readVoiceFormat(text);
    if (format) this.#tell(format);
  }

  onConverted(data: Buffer): void {
    const samples = this.#pieces.push(data);
    if (samples.length > 0) this.#listener?.(samples);
  }

  listen(listener: (samples: Int16Array) => void): void {
    this.#listener = listener;
  }
}

/** Chunks that may wait at least, however short the time is that audio may wait. */
const WAITING_CHUNKS_MIN = 2;

/** A voice session that says how it speaks, and is ready. */
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
