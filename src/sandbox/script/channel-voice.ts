import type { Channel, Guild, VoiceState } from '../chat/guild.ts';
import type { World } from '../chat/world.ts';
import type { Call } from '../voice/call.ts';
import type { LoggedPacket } from '../voice/packet-log.ts';
import { type RenderedSpeech, mixSpeech, renderSpeech } from '../voice/render-speech.ts';

/** A voice channel as a test sees it: who is in it and what was said. */
export class ChannelVoice {
  readonly #world: World;
  readonly #guild: Guild;
  readonly #channel: Channel;

  constructor(world: World, guild: Guild, channel: Channel) {
    this.#world = world;
    this.#guild = guild;
    this.#channel = channel;
  }

  /** The voice states of everyone in the channel, including bots. */
  get states(): readonly VoiceState[] {
    return [...this.#guild.voiceStates.values()].filter((state) => state.channelId === this.#channel.id);
  }

  /** The user ids of everyone who has spoken in this channel so far. */
  get speakerIds(): readonly string[] {
    return [...this.#call.spoken.keys()];
  }

  /**
   * The user ids of the participants whose audio is connected. Bots are connected only after they have identified to
   * the voice server.
   */
  get connectedIds(): readonly string[] {
    return this.#call.userIds;
  }

  /** Returns a speaker's packets that the voice server forwarded, oldest first; at most the last 30,000. */
  packetsOf(speaker: { readonly id: string }): readonly LoggedPacket[] {
    return this.#call.spoken.get(speaker.id)?.packets ?? [];
  }

  /**
   * Returns the decoded speech of one speaker, or of all speakers mixed. It starts with the first packet that is still
   * stored. In an encrypted call, a bot's packets are included only if a member of the sandbox could decrypt them.
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

  /** Deletes all recorded speech. */
  forgets(): void {
    this.#call.forget();
  }

  get #call(): Call {
    return this.#world.calls.of(this.#channel.id);
  }
}
