import type { Clock, Timer } from '../../../base/clock.ts';

interface UdpPulseOptions {
  readonly clock: Clock;
  /** Sends a datagram of these 8 bytes, which a voice server either sends back or ignores. */
  readonly send: (probe: Buffer) => void;
  /** No packets arrive any longer. Called once. */
  readonly onDead: () => void;
}

const PROBE_BYTES = 8;
const TICK_MS = 500;
/** No data is expected during this time while nobody speaks. */
const QUIET_MS = 5_000;
/** Probes in a row without an answer. That hardly happens by chance, even if one packet in seven is lost each way. */
const UNANSWERED_MAX = 8;

/**
 * Notices that packets no longer arrive, which the WebSocket connection does not reveal, while members who are not
 * heard go on paying. It only judges servers that have answered a probe before, because not all of them do.
 */
export class UdpPulse implements Disposable {
  readonly #options: UdpPulseOptions;
  #timer: Timer | null = null;
  #answers = false;
  #heardMs = 0;
  #unanswered = 0;
  #count = 0;

  constructor(options: UdpPulseOptions) {
    this.#options = options;
  }

  /** Starts to watch, because packets can arrive now. It does no harm to call it twice. */
  start(): void {
    if (this.#timer) return;
    this.#heardMs = this.#options.clock.monotonic();
    this.#probe();
    this.#await();
  }

  /** A datagram came from the voice server. */
  hear(datagram: Buffer): void {
    this.#answers ||= datagram.length === PROBE_BYTES;
    this.#heardMs = this.#options.clock.monotonic();
    this.#unanswered = 0;
  }

  [Symbol.dispose](): void {
    this.#timer?.cancel();
  }

  #await(): void {
    this.#timer = this.#options.clock.after(TICK_MS, () => this.#look(), { background: true });
  }

  #look(): void {
    const quietMs = this.#options.clock.monotonic() - this.#heardMs;
    if (this.#answers && quietMs >= QUIET_MS) {
      if (this.#unanswered >= UNANSWERED_MAX) return this.#options.onDead();
      this.#unanswered += 1;
      this.#probe();
    }
    this.#await();
  }

  /** The probes look like the library's own, which it sends every 5 s. */
  #probe(): void {
    const probe = Buffer.alloc(PROBE_BYTES);
    probe.writeUInt32LE(this.#count++, 0);
    this.#options.send(probe);
  }
}
