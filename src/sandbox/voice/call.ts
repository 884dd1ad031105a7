import type { Clock } from '../../base/clock.ts';
import { isDeaf, isSilenced } from '../chat/voice-state.ts';
import type { CallEncryption } from './call-encryption.ts';
import { type CallPeer, userIdOf } from './call-peer.ts';
import { LinkFaults } from './link-faults.ts';
import { type LoggedPacket, PacketLog, SPOKEN_PACKETS_MAX } from './packet-log.ts';
import type { RtpPacket } from './rtp.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Somebody who follows what is said: `spoke` for each packet passed on, `heard` for each that a member got. */
export interface CallListener {
  /** `opus` is null where the sandbox cannot read the packet. */
  readonly spoke?: (channelId: string, speakerId: string, opus: Uint8Array | null) => void;
  readonly heard?: (listenerId: string, speakerId: string, packet: LoggedPacket) => void;
}

/** What a call needs of its surroundings. */
interface CallOptions {
  readonly channelId: string;
  /** Real time. */
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly encryption: CallEncryption;
  /** Something happened that a test may wait for. */
  readonly changed: () => void;
  readonly listeners: ReadonlySet<CallListener>;
}

/**
 * What is said in one voice channel. Like Discord's voice server it mixes nothing: each packet goes to everybody else
 * as it is, but not from whom is muted nor to whom is deaf.
 */
export class Call {
  readonly channelId: string;
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly encryption: CallEncryption;
  readonly faults: LinkFaults;
  readonly changed: () => void;
  readonly #listeners: ReadonlySet<CallListener>;
  readonly #peers = new Map<string, CallPeer>();
  readonly #spoken = new Map<string, PacketLog>();
  readonly #heard = new Map<string, Map<string, PacketLog>>();

  constructor(options: CallOptions) {
    this.channelId = options.channelId;
    this.clock = options.clock;
    this.random = options.random;
    this.encryption = options.encryption;
    this.changed = options.changed;
    this.#listeners = options.listeners;
    this.faults = new LinkFaults(options.random);
  }

  /** Everything said here, by user id: packets that reached the voice server and were passed on. */
  get spoken(): ReadonlyMap<string, PacketLog> {
    return this.#spoken;
  }

  /** Keeps a packet that a member of the sandbox got. */
  keepHeard(listenerId: string, speakerId: string, packet: LoggedPacket): void {
    const heard = this.heardBy(listenerId);
    const log = heard.get(speakerId) ?? new PacketLog();
    heard.set(speakerId, log);
    log.add(packet);
    for (const listener of this.#listeners) listener.heard?.(listenerId, speakerId, packet);
  }

  /** What a member of the sandbox got here, by the speaker's user id. */
  heardBy(userId: string): Map<string, PacketLog> {
    const known = this.#heard.get(userId);
    if (known) return known;
    const heard = new Map<string, PacketLog>();
    this.#heard.set(userId, heard);
    return heard;
  }

  /** Forgets everything said so far. */
  forget(): void {
    this.#spoken.clear();
    this.#heard.clear();
  }

  get userIds(): readonly string[] {
    return [...this.#peers.keys()];
  }

  /** An ssrc that nobody here has. */
  newSsrc(): number {
    const taken = new Set([...this.#peers.values()].map((peer) => peer.ssrc));
    for (;;) {
      const ssrc = this.random.nextUint32();
      if (ssrc !== 0 && !taken.has(ssrc)) return ssrc;
    }
  }

  join(peer: CallPeer): void {
    const userId = userIdOf(peer);
    if (this.#peers.size > 0) peer.othersJoined(this.userIds);
    for (const other of this.#peers.values()) other.othersJoined([userId]);
    this.#peers.set(userId, peer);
    this.changed();
  }

  leave(peer: CallPeer): void {
    const userId = userIdOf(peer);
    if (this.#peers.get(userId) !== peer) return;
    this.#peers.delete(userId);
    for (const other of this.#peers.values()) other.otherLeft(userId);
    this.encryption.left(userId);
    this.changed();
  }

  /** Passes a packet on; `opus` is the plain frame where the sandbox knows it. */
  send(peer: CallPeer, packet: RtpPacket, opus: Uint8Array | null): void {
    if (isSilenced(peer.state)) return;
    const speakerId = userIdOf(peer);
    let plain = opus;
    for (const other of this.#peers.values()) {
      if (other === peer || isDeaf(other.state)) continue;
      const read = other.receive(packet, speakerId);
      plain ??= read;
    }
    this.#log(speakerId, packet, plain);
    for (const listener of this.#listeners) listener.spoke?.(this.channelId, speakerId, plain);
    this.changed();
  }

  #log(speakerId: string, packet: RtpPacket, opus: Uint8Array | null): void {
    const log = this.#spoken.get(speakerId) ?? new PacketLog(SPOKEN_PACKETS_MAX);
    this.#spoken.set(speakerId, log);
    const { ssrc, sequence, timestamp, frame } = packet;
    log.add({
      ssrc,
      sequence,
      timestamp,
      atMs: this.clock.monotonic(),
      sizeBytes: frame.byteLength,
      opus,
    });
  }
}
