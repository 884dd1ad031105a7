import type { Guild, VoiceState } from '../chat/guild.ts';
import { changeVoiceState, leaveVoice, moveInVoice, silenceMember } from '../chat/voice-states.ts';
import type { World } from '../chat/world.ts';

/** Somebody by user id: a member, or a bot. */
interface Somebody {
  readonly id: string;
}

/** What moderators of a guild do to whom is in a voice channel, the bot included. */
export class GuildVoice {
  readonly #world: World;
  readonly #guild: Guild;

  constructor(world: World, guild: Guild) {
    this.#world = world;
    this.#guild = guild;
  }

  /** Throws somebody out of voice. */
  disconnects(who: Somebody): void {
    leaveVoice(this.#world, this.#guild, this.#state(who));
  }

  /** Moves somebody to another voice channel. */
  moves(who: Somebody, to: { readonly id: string }): void {
    const state = this.#state(who);
    moveInVoice(this.#world, this.#guild, state, this.#world.channel(to.id));
  }

  /** Mutes somebody in every voice channel of the guild, or no longer. */
  mutes(who: Somebody, isMuted = true): void {
    silenceMember(this.#world, this.#guild, this.#world.member(this.#guild, who.id), { isMuted });
  }

  /** Deafens somebody in every voice channel of the guild, or no longer. */
  deafens(who: Somebody, isDeafened = true): void {
    silenceMember(this.#world, this.#guild, this.#world.member(this.#guild, who.id), { isDeafened });
  }

  /** Lets somebody of a stage's audience speak, or sends a speaker back to the audience. */
  letsSpeak(who: Somebody, maySpeak = true): void {
    changeVoiceState(this.#world, this.#state(who), { isSuppressed: !maySpeak, requestedToSpeakAtMs: null });
  }

  #state({ id }: Somebody): VoiceState {
    const state = this.#guild.voiceStates.get(id);
    if (!state) throw new Error('Cannot do that: they are in no voice channel');
    return state;
  }
}
