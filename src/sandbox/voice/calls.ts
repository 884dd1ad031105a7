import type { Clock } from '../../base/clock.ts';
import type { VoiceState } from '../chat/guild.ts';
import { Call, type CallListener } from './call.ts';
import { type CallEncryption, PLAIN_CALL } from './call-encryption.ts';
import type { VoiceFaults } from './link-faults.ts';
import { MemberPeer } from './member-peer.ts';
import { SeededRandom } from './seeded-random.ts';

/** Options that all calls share. */
interface CallsOptions {
  /** The clock that runs in real time. */
  readonly clock: Clock;
  /** The seed for all random events. Default 1. */
  readonly seed?: number;
  /** Creates the end-to-end encryption of a channel's call. Default: none. */
  readonly encryption?: (channelId: string) => CallEncryption;
  /** Called after every change for which a test may wait. */
  readonly changed: () => void;
}

/** The calls of all voice channels, and the members in them that the sandbox controls. */
export class Calls {
  readonly #options: CallsOptions;
  readonly #random: SeededRandom;
  readonly #calls = new Map<string, Call>();
  readonly #listeners = new Set<CallListener>();
  #faults: Partial<VoiceFaults> = {};
  readonly #members = new Map<VoiceState, { readonly call: Call; readonly peer: MemberPeer }>();

  constructor(options: CallsOptions) {
    this.#options = options;
    this.#random = new SeededRandom(options.seed ?? 1);
  }

  /**
   * Returns the call of a voice channel, and creates it on first use. An empty call is kept, with its recordings.
   */
  of(channelId: string): Call {
    const known = this.#calls.get(channelId);
    if (known) return known;
    const { clock, changed, encryption } = this.#options;
    const call = new Call({
      channelId,
      clock,
      changed,
      listeners: this.#listeners,
      random: this.#random,
      encryption: encryption?.(channelId) ?? PLAIN_CALL,
    });
    call.faults.set(this.#faults);
    this.#calls.set(channelId, call);
    return call;
  }

  /** The packet faults in every call, including calls that start later, in addition to each call's own faults. */
  get faults(): Partial<VoiceFaults> {
    return this.#faults;
  }

  set faults(faults: Partial<VoiceFaults>) {
    this.#faults = faults;
    for (const call of this.#calls.values()) call.faults.set(faults);
  }

  /** Calls `listener` for all packets, until the returned function is called. */
  listen(listener: CallListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns a member's peer in a call, or undefined if the member is not in a call. */
  member(state: VoiceState): MemberPeer | undefined {
    return this.#members.get(state)?.peer;
  }

  /** Adds a member controlled by the sandbox to the call of the channel that the member joined or switched to. */
  memberEntered(state: VoiceState): MemberPeer {
    this.memberLeft(state);
    const call = this.of(state.channelId);
    const peer = new MemberPeer(call, state);
    this.#members.set(state, { call, peer });
    call.join(peer);
    call.encryption.memberJoined(state.member.user.id);
    return peer;
  }

  memberLeft(state: VoiceState): void {
    const known = this.#members.get(state);
    if (!known) return;
    this.#members.delete(state);
    known.call.leave(known.peer);
    known.peer.gone();
  }

  /** Ends all speech and all calls. */
  close(): void {
    for (const state of this.#members.keys()) this.memberLeft(state);
    for (const { encryption } of this.#calls.values()) encryption.close();
  }
}
