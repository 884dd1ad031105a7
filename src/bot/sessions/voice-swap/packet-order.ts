import type { SpeechPacket } from './speech-packet.ts';

/** What becomes of a member's packets, in the order in which they were sent. */
export type OrderedPacket =
  | { readonly kind: 'packet'; readonly packet: SpeechPacket }
  /** One is missing; `next` is the one after it, which may hold a copy, if it has come. */
  | { readonly kind: 'lost'; readonly next: SpeechPacket | undefined }
  /** Another stream begins. */
  | { readonly kind: 'anew' };

export interface OrderCounts {
  /** Never came, or too late to be waited for. */
  readonly lost: number;
  /** Came after they had been given up: dropped. */
  readonly late: number;
  /** Came twice: the second one dropped. */
  readonly doubled: number;
  /** Came after a later one, in time. */
  readonly reordered: number;
  /** Times that another stream began. */
  readonly anew: number;
}

/** So many packets wait for a missing one; with one more it is given up. */
const HELD_MAX = 4;
/** Of so many that were given up it is remembered that they were. */
const GIVEN_UP_MAX = 32;
/** A longer gap is not filled: nobody could tell any more what was said there. */
const FILLED_MAX = 5;
/** A step this far is another stream, whatever the header says; so are this many late packets in a row. */
const STEP_MAX = 500;
const LATE_MAX = 10;

/**
 * Brings packets into their order. What comes in order passes at once; a packet that comes too early waits until the
 * one before it has come, another one after it has come, or it is told to give up.
 */
export class PacketOrder {
  readonly #pass: (packet: OrderedPacket) => void;
  readonly #counts = { lost: 0, late: 0, doubled: 0, reordered: 0, anew: 0 };
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

  /** Whether a packet waits for a missing one. */
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
    if (this.#held.some(({ sequence }) => sequence === packet.sequence)) return void this.#counts.doubled++;
    this.#held.push(packet);
    this.#held.sort((a, b) => signed(a.sequence - b.sequence));
    if (this.#held.length > HELD_MAX) this.giveUp();
  }

  /** Waits no longer for what is missing before the packets that are there. */
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
      this.#counts.anew++;
      this.#pass({ kind: 'anew' });
    }
    this.#ssrc = packet.ssrc;
    this.#givenUp.length = 0;
    this.#lateInRow = 0;
    this.#take(packet);
  }

  /** A sender that counts from a lower number without saying so is heard again after a few packets. */
  #drop(packet: SpeechPacket): void {
    if (this.#givenUp.includes(packet.sequence)) this.#counts.late++;
    else this.#counts.doubled++;
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

/** The step between two numbers modulo 65,536, from -32,768 to 32,767. */
function signed(step: number): number {
  return ((step + 0x8000) & 0xffff) - 0x8000;
}
