import { OPUS_MS_MAX, packetMs } from '../../../audio/opus-packet.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import { type OrderCounts, type OrderedPacket, PacketOrder } from './packet-order.ts';
import type { SpeechPacket } from './speech-packet.ts';
import type { VoiceEndpoint } from './voice-endpoint.ts';

/** A member's packet or the loss of a packet, and the time at which `PacketOrder` passed it on. */
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
  /** Packets that were ignored because they were not Opus or contained more audio than the time that had passed. */
  readonly refused: number;
}

/**
 * How many milliseconds a packet waits for a missing one before it. The wait is short, because most missing packets
 * never arrive, and playback continues for only 10 ms without the next packet. If packets often arrive out of order and
 * after the wait is over, the wait grows.
 */
const GAP_MS = 8;
const GAP_MS_MAX = 60;
const GAP_STEP_MS = 10;
/** With each packet that is not late, the wait shrinks by this many milliseconds. */
const GAP_FORGOTTEN_MS = 0.02;
const PACKET_BYTES_MAX = 4000;
/**
 * Nobody can speak faster than real time, but after a network stall, this many milliseconds of speech may arrive at
 * once.
 */
const BURST_MS_MAX = 3000;
const SURPLUS = 1.2;

/** Receives one member's packets from an endpoint and puts them in order, until it is disposed of. */
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
    // Data that is not Opus counts as a packet of the greatest possible length.
    const ms = packetMs(opus) || OPUS_MS_MAX;
    if (ms > this.#allowedMs) return false;
    this.#allowedMs -= ms;
    return true;
  }
}
