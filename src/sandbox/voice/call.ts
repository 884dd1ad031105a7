import type { Clock } from '../../base/clock.ts';
import { isDeaf, isSilenced } from '../chat/voice-state.ts';
import type { CallEncryption } from './call-encryption.ts';
import { type CallPeer, userIdOf } from './call-peer.ts';
import { LinkFaults } from './link-faults.ts';
import { type LoggedPacket, PacketLog, SPOKEN_PACKETS_MAX } from './packet-log.ts';
import type { RtpPacket } from './rtp.ts';
import type { SeededRandom } from './seeded-random.ts';

/**
 * A listener for speech. `spoke` is called for each packet that is forwarded, and `heard` for each packet that a member
 * receives.
 */
export interface CallListener {
  /** `opus` is null if the sandbox cannot decrypt the packet. */
  readonly spoke?: (channelId: string, speakerId: string, opus: Uint8Array | null) => void;
  readonly heard?: (listenerId: string, speakerId: string, packet: LoggedPacket) => void;
}

/** Options for a call. */
interface CallOptions {
  readonly channelId: string;
  /** The clock that runs in real time. */
  readonly clock: Clock;
  readonly random: SeededRandom;
  readonly encryption: CallEncryption;
  /** Called after every change for which a test may wait. */
  readonly changed: () => void;
  readonly listeners: ReadonlySet<CallListener>;
}

/**
 * The speech in one voice channel. Like Discord's voice server, it does not mix: each packet is forwarded unchanged to
 * all other participants. Packets from muted members are dropped, and deafened members receive no packets.
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

  /** All speech in the call by user id: the packets that the voice server received and forwarded. */
  get spoken(): ReadonlyMap<string, PacketLog> {
    return this.#spoken;
  }

  /** Stores a packet that a member of the sandbox received. */
  keepHeard(listenerId: string, speakerId: string, packet: LoggedPacket): void {
    const heard = this.heardBy(listenerId);
    const log = heard.get(speakerId) ?? new PacketLog();
    heard.set(speakerId, log);
    log.add(packet);
    for (const listener of this.#listeners) listener.heard?.(listenerId, speakerId, packet);
  }

  /** Returns the packets that a member of the sandbox received in this call, by the speaker's user id. */
  heardBy(userId: string): Map<string, PacketLog> {
    const known = this.#heard.get(userId);
    if (known) return known;
    const heard = new Map<string, PacketLog>();
    this.#heard.set(userId, heard);
    return heard;
  }

  /** Deletes all recorded speech. */
  forget(): void {
    this.#spoken.clear();
    this.#heard.clear();
  }

  get userIds(): readonly string[] {
    return [...this.#peers.keys()];
  }

  /** Returns an SSRC that no participant has. */
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

  /** Forwards a packet. `opus` is the packet's unencrypted frame, or null if the sandbox does not know it. */
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
