import { ChannelEncryption } from './encryption-script.ts';
import type { VoiceFaults } from './voice/link-faults.ts';
import type { Calls } from './voice/calls.ts';
import type { VoiceServer } from './voice/voice-server.ts';

/** Somebody who speaks in a channel, by user id. */
interface Speaker {
  readonly id: string;
}

/** Failures of voice on order, in one channel. What happens by chance follows from the sandbox's seed. */
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
   * How packets fare on their way to bots from now on: all of them, or those of one speaker. With a bot as the speaker
   * `lossPercent` and `isDead` hold for its way to the voice server.
   */
  set(faults: Partial<VoiceFaults>, speaker?: Speaker): void {
    this.#calls.of(this.#channelId).faults.set(faults, speaker?.id);
  }

  /** How many of all speakers' packets are lost on their way to bots. */
  get lossPercent(): number {
    return this.#calls.of(this.#channelId).faults.ofAll.lossPercent;
  }

  /** The speaker's next packets fail the transport's decryption. */
  corruptNext(speaker: Speaker, times = 1): void {
    this.#calls.of(this.#channelId).faults.corruptNext(speaker.id, times);
  }

  /** Before each of the speaker's next packets a false one with the same ssrc comes from another port. */
  spoofNext(speaker: Speaker, times = 1): void {
    this.#calls.of(this.#channelId).faults.spoofNext(speaker.id, times);
  }

  /** Ends the bots' voice connections with this close code; 1006 (the default) cuts them without one. */
  close(code = 1006): void {
    this.#server.close(this.#channelId, code);
  }

  /** The next `times` bots that identify are refused with this close code. */
  refuseNext(code: number, times = 1): void {
    this.#calls.of(this.#channelId).faults.refuseNext(code, times);
  }

  /** The next `times` bots that resume are refused with 4006, as by a server that forgot them. */
  refuseNextResume(times = 1): void {
    this.#calls.of(this.#channelId).faults.refuseNextResume(times);
  }

  /** Moves the call to another server: bots hear of none at first, then `afterMs` later of the new one. */
  changeServer(afterMs = 0): void {
    this.#server.changeServer(this.#channelId, afterMs);
  }

  /** How the call's end-to-end encryption stands, and its failures. */
  get encryption(): ChannelEncryption {
    return new ChannelEncryption(this.#calls, this.#channelId);
  }

  /** Packets are passed on as usual again. */
  clear(): void {
    this.#calls.of(this.#channelId).faults.clear();
  }
}
