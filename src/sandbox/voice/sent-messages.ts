import type { VoiceWire } from './voice-wire.ts';

const MESSAGES_MAX = 2000;
const SEQUENCES = 0x1_0000;

/** The numbered messages of one voice session. A client that resumes receives all messages that it missed. */
export class SentMessages {
  readonly #messages: { readonly sequence: number; readonly data: string | Buffer }[] = [];
  #last = 0;
  #losses = 0;
  #wire: VoiceWire | undefined;

  get wire(): VoiceWire | undefined {
    return this.#wire;
  }

  attach(wire: VoiceWire): void {
    this.#wire = wire;
  }

  /** The number of times that the connection was lost. */
  get losses(): number {
    return this.#losses;
  }

  detach(): void {
    this.#wire = undefined;
    this.#losses++;
  }

  /** Sends a JSON message with the next number. */
  send(op: number, data: unknown): void {
    const sequence = this.#next();
    this.#keep(sequence, JSON.stringify({ op, d: data, seq: sequence }));
  }

  /** Sends a binary message: `u16 seq, u8 op, payload`. */
  sendBinary(op: number, payload: Uint8Array): void {
    const sequence = this.#next();
    const head = Buffer.alloc(3);
    head.writeUInt16BE(sequence, 0);
    head.writeUInt8(op, 2);
    this.#keep(sequence, Buffer.concat([head, payload]));
  }

  /** Whether all messages after `sequence` (-1: all messages) are still stored. */
  canReplayFrom(sequence: number): boolean {
    const first = this.#messages[0];
    return sequence <= this.#last && (first === undefined || Math.max(0, sequence) >= first.sequence - 1);
  }

  replay(sequence: number): void {
    for (const message of this.#messages) if (message.sequence > sequence) this.#wire?.send(message.data);
  }

  #next(): number {
    this.#last = (this.#last + 1) % SEQUENCES;
    // After 65,535 messages, the numbers start from 1 again. Earlier messages can then no longer be requested.
    if (this.#last === 0) {
      this.#messages.length = 0;
      this.#last = 1;
    }
    return this.#last;
  }

  #keep(sequence: number, data: string | Buffer): void {
    this.#messages.push({ sequence, data });
    if (this.#messages.length > MESSAGES_MAX) this.#messages.shift();
    this.#wire?.send(data);
  }
}
