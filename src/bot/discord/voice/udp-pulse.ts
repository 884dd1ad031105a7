import type { Clock, Timer } from '../../../base/clock.ts';

interface UdpPulseOptions {
  readonly clock: Clock;
  /** Sends a datagram of 8 bytes, which a voice server either sends back or ignores. */
  readonly send: (probe: Buffer) => void;
  /** Called once, when packets no longer arrive. */
  readonly onDead: () => void;
}

const PROBE_BYTES = 8;
const TICK_MS = 500;
/** The time without packets after which probes are sent. Such pauses are normal while nobody speaks. */
const QUIET_MS = 5_000;
/**
 * The number of consecutive unanswered probes after which the server counts as dead. This rarely happens by chance,
 * even if one packet in seven is lost in each direction.
 */
const UNANSWERED_MAX = 8;

/**
 * Detects that packets no longer arrive. The WebSocket connection does not reveal this, and members would pay without
 * being heard. Only servers that have answered a probe before can count as dead, because not all servers answer probes.
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

  /** Starts watching. Must be called once packets can arrive; further calls do nothing. */
  start(): void {
    if (this.#timer) return;
    this.#heardMs = this.#options.clock.monotonic();
    this.#probe();
    this.#await();
  }

  /** Records a datagram from the voice server. */
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

  /** Sends a probe in the format of the library's own keep-alive packets, which the library sends every 5 s. */
  #probe(): void {
    const probe = Buffer.alloc(PROBE_BYTES);
    probe.writeUInt32LE(this.#count++, 0);
    this.#options.send(probe);
  }
}
