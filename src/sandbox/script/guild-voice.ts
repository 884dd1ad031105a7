import type { Guild, VoiceState } from '../chat/guild.ts';
import { changeVoiceState, leaveVoice, moveInVoice, silenceMember } from '../chat/voice-states.ts';
import type { World } from '../chat/world.ts';

/** A user, identified by id: a member or a bot. */
interface Somebody {
  readonly id: string;
}

/** The actions of a guild's moderators on members in voice channels, including the bot. */
export class GuildVoice {
  readonly #world: World;
  readonly #guild: Guild;

  constructor(world: World, guild: Guild) {
    this.#world = world;
    this.#guild = guild;
  }

  /** Disconnects a user from voice. */
  disconnects(who: Somebody): void {
    leaveVoice(this.#world, this.#guild, this.#state(who));
  }

  /** Moves a user to another voice channel. */
  moves(who: Somebody, to: { readonly id: string }): void {
    const state = this.#state(who);
    moveInVoice(this.#world, this.#guild, state, this.#world.channel(to.id));
  }

  /** Mutes a user in every voice channel of the guild, or unmutes the user. */
  mutes(who: Somebody, isMuted = true): void {
    silenceMember(this.#world, this.#guild, this.#world.member(this.#guild, who.id), { isMuted });
  }

  /** Deafens a user in every voice channel of the guild, or undeafens the user. */
  deafens(who: Somebody, isDeafened = true): void {
    silenceMember(this.#world, this.#guild, this.#world.member(this.#guild, who.id), { isDeafened });
  }

  /** Allows a member of a stage's audience to speak, or moves a speaker back to the audience. */
  letsSpeak(who: Somebody, maySpeak = true): void {
    changeVoiceState(this.#world, this.#state(who), { isSuppressed: !maySpeak, requestedToSpeakAtMs: null });
  }

  #state({ id }: Somebody): VoiceState {
    const state = this.#guild.voiceStates.get(id);
    if (!state) throw new Error('Cannot do that: the user is not in a voice channel');
    return state;
  }
}
