import type { Clock } from '../../base/clock.ts';
import type { User } from '../chat/user.ts';
import type { World } from '../chat/world.ts';
import { MemberVoice } from '../script/member-voice.ts';

const PACKETS_PER_SECOND = 50;
const RESERVE_PACKETS = 50;

/** Sends a page's microphone packets as the member's speech, on average no faster than real time. */
export class Microphone {
  readonly #world: World;
  readonly #clock: Clock;
  #allowance = RESERVE_PACKETS;
  #countedAtMs: number;

  constructor(world: World, clock: Clock) {
    this.#world = world;
    this.#clock = clock;
    this.#countedAtMs = clock.monotonic();
  }

  /** Sends a packet as speech in the speaker's voice channel. Returns false if it is dropped. */
  take(speaker: User, { timestamp, opus }: { timestamp: number; opus: Uint8Array }): boolean {
    if (!this.#spend()) return false;
    for (const guild of this.#world.guilds.values()) {
      const state = guild.voiceStates.get(speaker.id);
      if (state) return new MemberVoice(this.#world, guild, state.member).streams(opus, timestamp);
    }
    return false;
  }

  #spend(): boolean {
    const nowMs = this.#clock.monotonic();
    const earned = ((nowMs - this.#countedAtMs) / 1000) * PACKETS_PER_SECOND;
    this.#countedAtMs = nowMs;
    this.#allowance = Math.min(RESERVE_PACKETS, this.#allowance + earned);
    if (this.#allowance < 1) return false;
    this.#allowance--;
    return true;
  }
}
