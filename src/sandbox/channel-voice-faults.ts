import { ChannelEncryption } from './channel-encryption.ts';
import type { VoiceFaults } from './voice/link-faults.ts';
import type { Calls } from './voice/calls.ts';
import type { VoiceServer } from './voice/voice-server.ts';

/** A speaker in a channel, identified by user id. */
interface Speaker {
  readonly id: string;
}

/** Injects voice faults in one channel. Random events depend on the sandbox's seed. */
export class ChannelVoiceFaults {
  readonly #calls: Calls;
  readonly #server: VoiceServer;
  readonly #channelId: string;

  constructor(calls: Calls, server: VoiceServer, channelId: string) {
    this.#calls = calls;
    this.#server = server;
    this.#channelId = channelId;
  }

  /**
   * Sets faults for packets on their way to bots: for all packets, or for those of one speaker. If the speaker is a
   * bot, `lossPercent` and `isDead` also apply to its packets on their way to the voice server.
   */
  set(faults: Partial<VoiceFaults>, speaker?: Speaker): void {
    this.#calls.of(this.#channelId).faults.set(faults, speaker?.id);
  }

  /** The percentage of all speakers' packets that are lost on their way to bots. */
  get lossPercent(): number {
    return this.#calls.of(this.#channelId).faults.ofAll.lossPercent;
  }

  /** Makes transport decryption fail for the speaker's next `times` packets. */
  corruptNext(speaker: Speaker, times = 1): void {
    this.#calls.of(this.#channelId).faults.corruptNext(speaker.id, times);
  }

  /** Sends a forged packet with the same SSRC from another port before each of the speaker's next `times` packets. */
  spoofNext(speaker: Speaker, times = 1): void {
    this.#calls.of(this.#channelId).faults.spoofNext(speaker.id, times);
  }

  /** Ends the bots' voice connections with this close code. 1006 (the default) cuts them off without a close code. */
  close(code = 1006): void {
    this.#server.close(this.#channelId, code);
  }

  /** Rejects the next `times` bots that identify, with this close code. */
  refuseNext(code: number, times = 1): void {
    this.#calls.of(this.#channelId).faults.refuseNext(code, times);
  }

  /** Rejects the next `times` bots that resume, with close code 4006, like a server that has lost their sessions. */
  refuseNextResume(times = 1): void {
    this.#calls.of(this.#channelId).faults.refuseNextResume(times);
  }

  /**
   * Moves the call to another server: bots first receive a null address, and `afterMs` later they receive the new
   * server's address.
   */
  changeServer(afterMs = 0): void {
    this.#server.changeServer(this.#channelId, afterMs);
  }

  /** The state of the call's end-to-end encryption, and its faults. */
  get encryption(): ChannelEncryption {
    return new ChannelEncryption(this.#calls, this.#channelId);
  }

  /** Removes the channel's voice faults, except those of its encryption. */
  clear(): void {
    this.#calls.of(this.#channelId).faults.clear();
  }
}
