import type { Channel, Guild, VoiceState } from '../chat/guild.ts';
import type { World } from '../chat/world.ts';
import type { Call } from '../voice/call.ts';
import type { LoggedPacket } from '../voice/packet-log.ts';
import { type RenderedSpeech, mixSpeech, renderSpeech } from '../voice/render-speech.ts';

/** A voice channel as a test looks at it: who is there, and what was said. */
export class ChannelVoice {
  readonly #world: World;
  readonly #guild: Guild;
  readonly #channel: Channel;

  constructor(world: World, guild: Guild, channel: Channel) {
    this.#world = world;
    this.#guild = guild;
    this.#channel = channel;
  }

  /** Who is there, bots included, with what they may do and what they switched off. */
  get states(): readonly VoiceState[] {
    return [...this.#guild.voiceStates.values()].filter((state) => state.channelId === this.#channel.id);
  }

  /** User ids of all who said anything here. */
  get speakerIds(): readonly string[] {
    return [...this.#call.spoken.keys()];
  }

  /** User ids of all whose sound is connected: bots only after they identified at the voice server. */
  get connectedIds(): readonly string[] {
    return this.#call.userIds;
  }

  /** What a speaker sent and the voice server passed on, oldest first; at most the last 30,000 packets. */
  packetsOf(speaker: { readonly id: string }): readonly LoggedPacket[] {
    return this.#call.spoken.get(speaker.id)?.packets ?? [];
  }

  /**
   * What was said here, decoded: by one speaker, or by all of them mixed. It begins with the first packet that is still
   * known. Of a bot in an encrypted call only what a member of the sandbox could read.
   */
  async recording(speaker?: { readonly id: string }): Promise<RenderedSpeech> {
    if (speaker) return renderSpeech(this.packetsOf(speaker));
    const logs = [...this.#call.spoken.values()].map((log) => log.packets);
    const startMs = Math.min(...logs.map((packets) => packets[0]?.atMs ?? Infinity));
    if (!Number.isFinite(startMs)) return { samples: new Int16Array(0), startMs: 0, undecodable: 0 };
    const rendered: RenderedSpeech[] = [];
    for (const packets of logs) rendered.push(await renderSpeech(packets, startMs));
    const undecodable = rendered.reduce((sum, speech) => sum + speech.undecodable, 0);
    return { samples: mixSpeech(rendered), startMs, undecodable };
  }

  /** Forgets everything said so far. */
  forgets(): void {
    this.#call.forget();
  }

  get #call(): Call {
    return this.#world.calls.of(this.#channel.id);
  }
}
