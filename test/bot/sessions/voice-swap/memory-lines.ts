import type { Clock } from '../../../../src/base/clock.ts';
import { micros } from '../../../../src/base/money.ts';
import type { CloseReason, LineEnd } from '../../../../src/bot/sessions/line-end.ts';
import type { LineStanding } from '../../../../src/bot/sessions/line-standing.ts';
import type { VoiceLine } from '../../../../src/bot/sessions/voice-line.ts';
import type { VoiceLineRequest, VoiceLines } from '../../../../src/bot/sessions/voice-lines.ts';

const MICROS_PER_SECOND = 1_000;

/** A paid line without a service. It is metered from the time it opens, and closes on request or at its limit. */
export class MemoryLine implements VoiceLine {
  readonly id: string;
  readonly sampleRateHz = 48_000;
  readonly chunkFrames = 960;
  readonly request: VoiceLineRequest;
  readonly openedAtMs: number;
  /** The time since which the service has returned no sound, in milliseconds. */
  quietSinceMs: number = Infinity;
  closed: { readonly reason: CloseReason; readonly atMs: number } | null = null;
  #endedAtMs: number | null = null;
  #listener: ((end: LineEnd) => void) | null = null;
  readonly #grantedMs: number;
  readonly #clock: Clock;

  constructor(id: string, request: VoiceLineRequest, grantedMs: number, clock: Clock) {
    this.id = id;
    this.request = request;
    this.#grantedMs = grantedMs;
    this.#clock = clock;
    this.openedAtMs = clock.monotonic();
    clock.after(grantedMs, () => this.ends({ kind: 'granted' }), { background: true });
  }

  get isOpen(): boolean {
    return this.#endedAtMs === null;
  }

  get standing(): LineStanding {
    const meteredMs = (this.#endedAtMs ?? this.#clock.monotonic()) - this.openedAtMs;
    return {
      meteredMs,
      quietMs: Math.max(0, this.#clock.monotonic() - this.quietSinceMs),
      leftMs: Math.max(0, this.#grantedMs - meteredMs),
      estimate: micros(Math.round((meteredMs / 1000) * MICROS_PER_SECOND)),
      held: micros((this.#grantedMs / 1000) * MICROS_PER_SECOND),
    };
  }

  send(): boolean {
    return this.isOpen;
  }

  onConverted(): void {}

  onEnd(listener: (end: LineEnd) => void): void {
    this.#listener = listener;
  }

  ends(end: LineEnd): void {
    if (!this.isOpen) return;
    this.#endedAtMs = this.#clock.monotonic();
    this.#listener?.(end);
  }

  close(reason: CloseReason): Promise<void> {
    if (this.isOpen) {
      this.closed = { reason, atMs: this.#clock.monotonic() };
      this.ends({ kind: 'closed', reason });
    }
    return Promise.resolve();
  }
}

/** Opens lines that exist only in memory. */
export class MemoryLines implements VoiceLines {
  readonly all: MemoryLine[] = [];
  /** If set, attempts to open a line throw this error. */
  refusal: Error | null = null;
  /** The longest time that is granted, in milliseconds, even if more is requested. */
  grantedMsMax: number = Infinity;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get running(): readonly MemoryLine[] {
    return this.all.filter(({ isOpen }) => isOpen);
  }

  /** The line that was opened last. */
  get last(): MemoryLine {
    const last = this.all.at(-1);
    if (!last) throw new Error('No line was opened');
    return last;
  }

  open(request: VoiceLineRequest): Promise<VoiceLine> {
    if (this.refusal) return Promise.reject(this.refusal);
    const grantedMs = Math.min(request.minutes * 60_000, this.grantedMsMax);
    const line = new MemoryLine(`line-${this.all.length}`, request, grantedMs, this.#clock);
    this.all.push(line);
    return Promise.resolve(line);
  }
}
