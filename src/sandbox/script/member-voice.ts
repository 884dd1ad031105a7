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

/** A member's actions in voice channels, and the sound that the member receives. */
export class MemberVoice {
  readonly #world: World;
  readonly #guild: Guild;
  readonly #member: Member;

  constructor(world: World, guild: Guild, member: Member) {
    this.#world = world;
    this.#guild = guild;
    this.#member = member;
  }

  /** The id of the member's voice channel, or null. */
  get channelId(): string | null {
    return this.#guild.voiceStates.get(this.#member.user.id)?.channelId ?? null;
  }

  get isSpeaking(): boolean {
    return this.#peer?.isSpeaking ?? false;
  }

  /** Joins a voice or stage channel, or switches to it. Throws if Discord's client would not let the member join. */
  joins(place: { readonly id: string }, self: Partial<SelfState> = {}): void {
    const channel = this.#channel(place);
    const refusal = joinRefusal(this.#guild, this.#member, channel);
    if (refusal) throw new Error(`Cannot join "${channel.name}": ${refusal}`);
    const sessionId = this.#state?.sessionId ?? randomId('session').slice(0, 40);
    const own = { selfMute: false, selfDeaf: false, ...self };
    enterVoice(this.#world, this.#guild, this.#member, { channel, sessionId, self: own });
  }

  /** Leaves the voice channel. Does nothing if the member is not in one. */
  leaves(): void {
    if (this.#state) leaveVoice(this.#world, this.#guild, this.#state);
  }

  /**
   * Speaks in real time. `speech` is mono samples at 48 kHz, or speech already encoded with `encodeSpeech`. Resolves
   * when the speech ends, or when the member leaves the channel.
   */
  async speaks(speech: Speech): Promise<void> {
    await this.#demandPeer().speak(speech);
  }

  /**
   * Sends one Opus packet of 20 ms at once, as from a microphone. `timestamp` comes from the microphone, in samples at
   * 48 kHz. Returns false if the packet is dropped, because the member is in no call or is still speaking something
   * else.
   */
  streams(opus: Uint8Array, timestamp: number): boolean {
    return this.#peer?.stream(opus, timestamp) ?? false;
  }

  /** Switches the member's own microphone off, or on again. */
  mutes(isMuted = true): void {
    changeVoiceState(this.#world, this.#demandState(), { selfMute: isMuted });
  }

  /** Switches the member's own loudspeaker off, or on again. */
  deafens(isDeaf = true): void {
    changeVoiceState(this.#world, this.#demandState(), { selfDeaf: isDeaf });
  }

  /** Gives the member's later packets a new SSRC. */
  changesSsrc(): void {
    this.#demandPeer().changeSsrc();
  }

  /** The code that members compare to be sure that nobody eavesdrops. Empty while the call is not encrypted. */
  get privacyCode(): string {
    return this.#encryption?.privacyCode ?? '';
  }

  /**
   * Counts of the other participants' frames since the member joined: decrypted, not decryptable, and wrongly
   * unencrypted.
   */
  get frameCounts(): DaveCounts {
    return { decrypted: 0, lost: 0, plain: 0, ...this.#encryption?.counts };
  }

  /** Returns a speaker's packets that reached the member in a channel, oldest first; at most the last 9,000. */
  packetsOf(speaker: { readonly id: string }, place: { readonly id: string }): readonly LoggedPacket[] {
    return this.#call(place).heardBy(this.#member.user.id).get(speaker.id)?.packets ?? [];
  }

  /** Returns a speaker's speech as it reached the member: the packets that `packetsOf` returns, decoded. */
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
