import type { DAVESession } from '@discordjs/voice';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { CallCipher } from './call-cipher.ts';
import { HeldFrames } from './held-frames.ts';
import { ParkedPackets } from './parked-packets.ts';
import { RecentSequences } from './recent-sequences.ts';
import { type RtpHeader, parseRtpHeader, payloadOf } from './rtp-packet.ts';
import { SpeakerTable } from './speaker-table.ts';
import { TransportCipher, type TransportKey } from './transport-cipher.ts';
import type { SpeechPacket } from '../../sessions/voice-swap/speech-packet.ts';

/** The parameters on which a voice server and the bot agreed. */
interface ReceiveKeys extends TransportKey {
  /** The call's end-to-end encryption, if it has any. */
  readonly dave: DAVESession | undefined;
}

/** Packet counts since the receiver was created. Only packets from members that the bot listens to are decrypted. */
interface ReceiveCounts {
  readonly undecryptable: number;
  readonly stillEncrypted: number;
  readonly foreign: number;
  readonly opened: number;
}

/** The ciphers for decryption. */
interface Opening {
  readonly transport: TransportCipher;
  readonly dave: DAVESession | undefined;
}

type Listener = (packet: SpeechPacket) => void;

/** A member that the bot listens to, and the state of their current stream. */
interface Heard {
  readonly listeners: Set<Listener>;
  ssrc: number;
  recent: RecentSequences;
}

/**
 * Turns incoming datagrams into packets from the members that the bot listens to. Packets from other members are
 * dropped without being decrypted. A packet that cannot be read is counted, and does not affect later packets.
 */
export class SpeechReceiver {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #speakers = new SpeakerTable();
  readonly #parked = new ParkedPackets();
  readonly #cipher: CallCipher;
  readonly #heard = new Map<string, Heard>();
  readonly #counts = { undecryptable: 0, stillEncrypted: 0, foreign: 0, opened: 0 };
  readonly #held = new HeldFrames(({ why }) => this.#count(why));
  #opening: Opening | null = null;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
    this.#cipher = new CallCipher(clock);
  }

  get counts(): ReceiveCounts {
    this.#held.prune(this.#clock.monotonic());
    return { ...this.#counts };
  }

  hear(userId: string, listener: Listener): Disposable {
    // Each call is a separate registration, even with the same function.
    const own: Listener = (packet) => listener(packet);
    const heard = this.#heard.get(userId) ?? { listeners: new Set(), ssrc: 0, recent: new RecentSequences() };
    heard.listeners.add(own);
    this.#heard.set(userId, heard);
    return {
      [Symbol.dispose]: () => {
        heard.listeners.delete(own);
        if (heard.listeners.size === 0 && this.#heard.get(userId) === heard) this.#heard.delete(userId);
      },
    };
  }

  /** Sets the parameters for decryption, or null while there is no connection. */
  use(keys: ReceiveKeys | null): void {
    this.#opening = keys && { transport: new TransportCipher(keys), dave: keys.dave };
  }

  /** Drops all streams, because another voice server or a new session numbers them differently. */
  restart(): void {
    this.#opening = null;
    this.#held.clear();
    this.#speakers.clear();
    this.#counts.foreign += this.#parked.clear();
  }

  /** Assigns a stream to a member, and delivers the stream's parked packets. */
  identify(userId: string, ssrc: number): void {
    this.#speakers.set(userId, ssrc);
    const { packets, dropped } = this.#parked.take(ssrc, this.#clock.monotonic());
    this.#counts.foreign += dropped;
    for (const packet of packets) this.receive(packet);
  }

  forget(userId: string): void {
    this.#speakers.delete(userId);
  }

  /** Sets up the call's encryption again, after a step in its setup failed. */
  repair(): void {
    if (this.#opening?.dave) this.#cipher.repair(this.#opening.dave);
  }

  /** Counts a packet that cannot be sent because keys are missing. */
  missKeys(): void {
    if (this.#opening?.dave) this.#cipher.miss(this.#opening.dave);
  }

  /** Counts a datagram that did not come from the voice server. */
  receiveForeign(): void {
    this.#counts.foreign += 1;
  }

  /** Processes a datagram from the voice server. The caller must not modify the datagram afterwards. */
  receive(datagram: Buffer): void {
    const header = parseRtpHeader(datagram);
    const opening = this.#opening;
    if (!header || !opening) return;
    const userId = this.#speakers.userOf(header.ssrc);
    if (userId === undefined) {
      this.#counts.foreign += this.#parked.park(header.ssrc, datagram, this.#clock.monotonic());
      return;
    }
    const heard = this.#heard.get(userId);
    if (!heard) {
      this.#counts.foreign += 1;
      return;
    }
    if (heard.ssrc !== header.ssrc)
      Object.assign(heard, { ssrc: header.ssrc, recent: new RecentSequences() });
    // A duplicate is dropped here, because the call's encryption would treat it as forged.
    if (heard.recent.has(header.sequence)) return;
    const opened = this.#openTransport(opening, header, datagram);
    if (!opened) return;
    heard.recent.add(header.sequence);
    const frame = payloadOf(header, opened);
    if (frame) this.#openFrame(opening, header, userId, frame);
    else this.#count('undecryptable');
  }

  /** Tries to decrypt the held frames again, because the call's keys have changed. */
  retry(): void {
    const opening = this.#opening;
    if (!opening) return;
    for (const held of this.#held.take(this.#clock.monotonic())) {
      if (!this.#heard.has(held.userId)) continue;
      const opus = this.#cipher.reopen(opening.dave, held.userId, held.frame);
      if (typeof opus === 'string') this.#held.hold(held);
      else this.#deliver(held.userId, held.header, opus);
    }
  }

  #openTransport({ transport }: Opening, { headerSize }: RtpHeader, datagram: Buffer): Buffer | null {
    this.#counts.opened += 1;
    const opened = transport.open(datagram, headerSize);
    if (!opened) this.#count('undecryptable');
    return opened;
  }

  #openFrame({ dave }: Opening, header: RtpHeader, userId: string, frame: Buffer): void {
    const opus = this.#cipher.open(dave, userId, frame);
    if (typeof opus !== 'string') return this.#deliver(userId, header, opus);
    const mayHaveKeys = dave !== undefined && dave.protocolVersion !== 0;
    if (!mayHaveKeys) return this.#count(opus);
    this.#held.hold({ userId, header, frame, why: opus, atMs: this.#clock.monotonic() });
  }

  #count(why: 'undecryptable' | 'still_encrypted'): void {
    if (why === 'undecryptable') this.#counts.undecryptable += 1;
    else this.#counts.stillEncrypted += 1;
  }

  #deliver(userId: string, { sequence, timestamp, ssrc }: RtpHeader, opus: Buffer): void {
    const packet: SpeechPacket = { sequence, timestamp, ssrc, opus };
    for (const listener of this.#heard.get(userId)?.listeners ?? []) {
      try {
        listener(packet);
      } catch (error) {
        // No caller would catch the error, so it would end the process.
        this.#log.error({ error }, 'Cannot process a packet of speech');
      }
    }
  }
}
