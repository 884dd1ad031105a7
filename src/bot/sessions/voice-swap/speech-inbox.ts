import { OPUS_MS_MAX, packetMs } from '../../../audio/opus-packet.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import { type OrderCounts, type OrderedPacket, PacketOrder } from './packet-order.ts';
import type { SpeechPacket } from './speech-packet.ts';
import type { VoiceEndpoint } from './voice-endpoint.ts';

/** What came of a member, and when. */
export interface Arrival {
  readonly packet: OrderedPacket;
  readonly arrivedMs: number;
}

interface InboxOptions {
  readonly endpoint: VoiceEndpoint;
  readonly userId: string;
  readonly clock: Clock;
  readonly onArrival: (arrival: Arrival) => void;
}

interface InboxCounts extends OrderCounts {
  /** Dropped: no Opus, or more sound than time. */
  readonly refused: number;
}

/**
 * A packet waits this long for the one before it. Most missing ones are lost, and speech plays on for 10 ms without
 * the next packet; where packets come in another order later than that, it is learned to wait for them.
 */
const GAP_MS = 8;
const GAP_MS_MAX = 60;
const GAP_STEP_MS = 10;
/** What was learned is forgotten by so much with each packet. */
const GAP_FORGOTTEN_MS = 0.02;
const PACKET_BYTES_MAX = 4000;
/** Nobody can say more than there is time; after a standstill of the network so much may come at once. */
const BURST_MS_MAX = 3000;
const SURPLUS = 1.2;

/** One member's packets from an endpoint, in order. Hears them until disposed. */
export class SpeechInbox implements Disposable {
  readonly #options: InboxOptions;
  readonly #order: PacketOrder;
  readonly #hearing: Disposable;
  #gap: Timer | undefined;
  #gapMs = GAP_MS;
  #refused = 0;
  #allowedMs = BURST_MS_MAX;
  #countedMs: number;

  constructor(options: InboxOptions) {
    const { clock, endpoint, userId, onArrival } = options;
    this.#options = options;
    this.#countedMs = clock.monotonic();
    this.#order = new PacketOrder((packet) => onArrival({ packet, arrivedMs: clock.monotonic() }));
    this.#hearing = endpoint.hear(userId, (packet) => this.#receive(packet));
  }

  get counts(): InboxCounts {
    return { ...this.#order.counts, refused: this.#refused };
  }

  [Symbol.dispose](): void {
    this.#hearing[Symbol.dispose]();
    this.#gap?.cancel();
  }

  #receive(packet: SpeechPacket): void {
    if (packet.opus.length > PACKET_BYTES_MAX || !this.#isInTime(packet.opus)) return void this.#refused++;
    const { late } = this.#order.counts;
    this.#order.push(packet);
    const isLate = this.#order.counts.late > late;
    this.#gapMs = isLate
      ? Math.min(GAP_MS_MAX, this.#gapMs + GAP_STEP_MS)
      : Math.max(GAP_MS, this.#gapMs - GAP_FORGOTTEN_MS);
    if (!this.#order.isWaiting) {
      this.#gap?.cancel();
      this.#gap = undefined;
    } else this.#gap ??= this.#options.clock.after(this.#gapMs, () => this.#giveUp());
  }

  #giveUp(): void {
    this.#gap = undefined;
    this.#order.giveUp();
  }

  #isInTime(opus: Uint8Array): boolean {
    const nowMs = this.#options.clock.monotonic();
    this.#allowedMs = Math.min(BURST_MS_MAX, this.#allowedMs + SURPLUS * (nowMs - this.#countedMs));
    this.#countedMs = nowMs;
    // What is no Opus costs as much as the most that a packet can hold.
    const ms = packetMs(opus) || OPUS_MS_MAX;
    if (ms > this.#allowedMs) return false;
    this.#allowedMs -= ms;
    return true;
  }
}
