import { randomId } from '../../base/ids.ts';
import type { Channel, Guild, Member, VoiceState } from '../chat/guild.ts';
import {
  type SelfState,
  changeVoiceState,
  enterVoice,
  joinRefusal,
  leaveVoice,
} from '../chat/voice-states.ts';
import type { World } from '../chat/world.ts';
import type { Call } from '../voice/call.ts';
import { DaveEncryption } from '../voice/dave/dave-encryption.ts';
import type { DaveCounts, DaveMember } from '../voice/dave/dave-member.ts';
import type { MemberPeer } from '../voice/member-peer.ts';
import type { LoggedPacket } from '../voice/packet-log.ts';
import { type RenderedSpeech, renderSpeech } from '../voice/render-speech.ts';
import type { Speech } from '../voice/speech.ts';

/** What a member does and hears in voice channels. */
export class MemberVoice {
  readonly #world: World;
  readonly #guild: Guild;
  readonly #member: Member;

  constructor(world: World, guild: Guild, member: Member) {
    this.#world = world;
    this.#guild = guild;
    this.#member = member;
  }

  /** The voice channel where the member is, or null. */
  get channelId(): string | null {
    return this.#guild.voiceStates.get(this.#member.user.id)?.channelId ?? null;
  }

  get isSpeaking(): boolean {
    return this.#peer?.isSpeaking ?? false;
  }

  /** Joins a voice or stage channel, or changes to it. Throws when Discord's client would not let the member. */
  joins(place: { readonly id: string }, self: Partial<SelfState> = {}): void {
    const channel = this.#channel(place);
    const refusal = joinRefusal(this.#guild, this.#member, channel);
    if (refusal) throw new Error(`Cannot join "${channel.name}": ${refusal}`);
    const sessionId = this.#state?.sessionId ?? randomId('session').slice(0, 40);
    const own = { selfMute: false, selfDeaf: false, ...self };
    enterVoice(this.#world, this.#guild, this.#member, { channel, sessionId, self: own });
  }

  /** Leaves voice; does nothing when the member is in no channel. */
  leaves(): void {
    if (this.#state) leaveVoice(this.#world, this.#guild, this.#state);
  }

  /**
   * Says something in real time: 48 kHz mono samples, or speech encoded before with `encodeSpeech`. Resolves when it is
   * said, or when the member leaves the channel.
   */
  async speaks(speech: Speech): Promise<void> {
    await this.#demandPeer().speak(speech);
  }

  /**
   * Says one Opus packet of 20 ms at once, as a microphone brings it; `timestamp` is its own, in samples of 48 kHz. Returns
   * false when it is dropped: the member is in no call, or still says something else.
   */
  streams(opus: Uint8Array, timestamp: number): boolean {
    return this.#peer?.stream(opus, timestamp) ?? false;
  }

  /** Switches the own microphone off, or on again. */
  mutes(isMuted = true): void {
    changeVoiceState(this.#world, this.#demandState(), { selfMute: isMuted });
  }

  /** Switches the own loudspeaker off, or on again. */
  deafens(isDeaf = true): void {
    changeVoiceState(this.#world, this.#demandState(), { selfDeaf: isDeaf });
  }

  /** Sends with another ssrc from now on. */
  changesSsrc(): void {
    this.#demandPeer().changeSsrc();
  }

  /** What members compare to know that nobody listens in; empty while the call is in clear. */
  get privacyCode(): string {
    return this.#encryption?.privacyCode ?? '';
  }

  /** How many frames of others the member could decrypt since it joined, could not, and got in clear. */
  get frameCounts(): DaveCounts {
    return { decrypted: 0, lost: 0, plain: 0, ...this.#encryption?.counts };
  }

  /** The packets of a speaker that reached the member in a channel, oldest first; at most the last 9,000. */
  packetsOf(speaker: { readonly id: string }, place: { readonly id: string }): readonly LoggedPacket[] {
    return this.#call(place).heardBy(this.#member.user.id).get(speaker.id)?.packets ?? [];
  }

  /** The same, decoded as the member hears it. */
  heard(speaker: { readonly id: string }, place: { readonly id: string }): Promise<RenderedSpeech> {
    return renderSpeech(this.packetsOf(speaker, place));
  }

  get #encryption(): DaveMember | undefined {
    const { encryption } = this.#world.calls.of(this.#demandState().channelId);
    return encryption instanceof DaveEncryption ? encryption.member(this.#member.user.id) : undefined;
  }

  get #state(): VoiceState | undefined {
    return this.#guild.voiceStates.get(this.#member.user.id);
  }

  get #peer(): MemberPeer | undefined {
    return this.#state && this.#world.calls.member(this.#state);
  }

  #demandState(): VoiceState {
    if (!this.#state) throw new Error('Cannot do that: the member is in no voice channel');
    return this.#state;
  }

  #demandPeer(): MemberPeer {
    const peer = this.#peer;
    if (!peer) throw new Error('Cannot do that: the member is in no voice channel');
    return peer;
  }

  #call(place: { readonly id: string }): Call {
    return this.#world.calls.of(this.#channel(place).id);
  }

  #channel(place: { readonly id: string }): Channel {
    const channel = this.#guild.channels.get(place.id);
    if (!channel) throw new Error(`Cannot act there: ${this.#guild.name} has no such channel`);
    return channel;
  }
}
