import type { Clock, Timer } from '../../../base/clock.ts';

interface UdpPulseOptions {
  readonly clock: Clock;
  /** A voice server gives a datagram of these 8 bytes back, or does not know them at all. */
  readonly send: (probe: Buffer) => void;
  /** Nothing comes through any more. Called once. */
  readonly onDead: () => void;
}

const PROBE_BYTES = 8;
const TICK_MS = 500;
/** So long nothing may come while nobody speaks. */
const QUIET_MS = 5_000;
/** In a row: by chance as good as never, where one packet in seven is lost each way. */
const UNANSWERED_MAX = 8;

/**
 * Notices that packets have ceased to come, of which the connection beside them says nothing: whoever is not heard
 * pays on. Only of a server that has answered before, because not all of them do.
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

  /** Packets can come now. Again is harmless. */
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

  /** As the library's own, which come every 5 s. */
  #probe(): void {
    const probe = Buffer.alloc(PROBE_BYTES);
    probe.writeUInt32LE(this.#count++, 0);
    this.#options.send(probe);
  }
}
