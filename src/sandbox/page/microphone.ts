import type { Clock } from '../../base/clock.ts';
import type { User } from '../chat/user.ts';
import type { World } from '../chat/world.ts';
import { MemberVoice } from '../script/member-voice.ts';

const PACKETS_PER_SECOND = 50;
const RESERVE_PACKETS = 50;

/** What a page says for a member: packet by packet, never faster than speech for long. */
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

  /** Says a packet where `speaker` is in voice; returns false when it is dropped. */
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
