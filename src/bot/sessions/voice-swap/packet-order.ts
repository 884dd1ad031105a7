import type { SpeechPacket } from './speech-packet.ts';

/**
 * A member's packet, the loss of a packet, or the start of another stream, in the order in which the packets were sent.
 */
export type OrderedPacket =
  | { readonly kind: 'packet'; readonly packet: SpeechPacket }
  /**
   * A packet is missing. `next` is the packet after it, if that has arrived; it may contain a copy of the missing one.
   */
  | { readonly kind: 'lost'; readonly next: SpeechPacket | undefined }
  /** Another stream starts. */
  | { readonly kind: 'restart' };

export interface OrderCounts {
  /** Packets that never arrived or were too late. */
  readonly lost: number;
  /** Packets that arrived after they were counted as lost; they were dropped. */
  readonly late: number;
  /** Packets that arrived twice; the second copy was dropped. */
  readonly duplicates: number;
  /** Packets that arrived after a later one, but in time. */
  readonly reordered: number;
  /** The number of times another stream started. */
  readonly restarts: number;
}

/** At most this many packets wait for a missing one; when another arrives, the missing one counts as lost. */
const HELD_MAX = 4;
/** The maximum number of lost packets to remember. The most recent ones are kept. */
const GIVEN_UP_MAX = 32;
/** A gap of more packets than this is not filled, because the missing speech could not be guessed. */
const FILLED_MAX = 5;
/**
 * A new stream is assumed, even if the SSRC is unchanged, when the sequence number jumps by more than `STEP_MAX` or more
 * than `LATE_MAX` packets in a row are late.
 */
const STEP_MAX = 500;
const LATE_MAX = 10;

/**
 * Puts packets in order. A packet that is next in order passes at once. A packet that is too early waits until the
 * packet before it arrives, too many packets are waiting, or `giveUp` is called.
 */
export class PacketOrder {
  readonly #pass: (packet: OrderedPacket) => void;
  readonly #counts = { lost: 0, late: 0, duplicates: 0, reordered: 0, restarts: 0 };
  readonly #givenUp: number[] = [];
  #held: SpeechPacket[] = [];
  #ssrc: number | undefined;
  #next = 0;
  #lateInRow = 0;

  constructor(pass: (packet: OrderedPacket) => void) {
    this.#pass = pass;
  }

  get counts(): OrderCounts {
    return { ...this.#counts };
  }

  /** Whether packets are waiting for a missing one. */
  get isWaiting(): boolean {
    return this.#held.length > 0;
  }

  push(packet: SpeechPacket): void {
    const step = signed(packet.sequence - this.#next);
    if (packet.ssrc !== this.#ssrc || Math.abs(step) > STEP_MAX) return this.#begin(packet);
    if (step < 0) return this.#drop(packet);
    this.#lateInRow = 0;
    if (step === 0) {
      if (this.isWaiting) this.#counts.reordered++;
      this.#take(packet);
      return this.#passHeld();
    }
    if (this.#held.some(({ sequence }) => sequence === packet.sequence))
      return void this.#counts.duplicates++;
    this.#held.push(packet);
    this.#held.sort((a, b) => signed(a.sequence - b.sequence));
    if (this.#held.length > HELD_MAX) this.giveUp();
  }

  /** Counts the packets that are missing before the waiting ones as lost. */
  giveUp(): void {
    const first = this.#held[0];
    if (!first) return;
    const missing = signed(first.sequence - this.#next);
    this.#counts.lost += missing;
    for (let n = 0; n < Math.min(missing, GIVEN_UP_MAX); n++)
      this.#givenUp.push((first.sequence - 1 - n) & 0xffff);
    this.#givenUp.splice(0, this.#givenUp.length - GIVEN_UP_MAX);
    for (let left = Math.min(missing, FILLED_MAX); left > 0; left--)
      this.#pass({ kind: 'lost', next: left === 1 ? first : undefined });
    this.#next = first.sequence;
    this.#passHeld();
  }

  #begin(packet: SpeechPacket): void {
    while (this.isWaiting) this.giveUp();
    if (this.#ssrc !== undefined) {
      this.#counts.restarts++;
      this.#pass({ kind: 'restart' });
    }
    this.#ssrc = packet.ssrc;
    this.#givenUp.length = 0;
    this.#lateInRow = 0;
    this.#take(packet);
  }

  /**
   * Drops a late packet or a duplicate. After a few of them in a row, another stream is assumed, so that a sender that
   * restarted its numbering without a new SSRC is heard again.
   */
  #drop(packet: SpeechPacket): void {
    if (this.#givenUp.includes(packet.sequence)) this.#counts.late++;
    else this.#counts.duplicates++;
    if (++this.#lateInRow > LATE_MAX) this.#begin(packet);
  }

  #take(packet: SpeechPacket): void {
    this.#next = (packet.sequence + 1) & 0xffff;
    this.#pass({ kind: 'packet', packet });
  }

  #passHeld(): void {
    for (let first = this.#held[0]; first?.sequence === this.#next; first = this.#held[0]) {
      this.#held.shift();
      this.#take(first);
    }
  }
}

/** Returns a difference of sequence numbers modulo 65,536, from -32,768 to 32,767. */
function signed(step: number): number {
  return ((step + 0x8000) & 0xffff) - 0x8000;
}
