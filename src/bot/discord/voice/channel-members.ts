import { type Client, Events, type VoiceState } from 'discord.js';
import type { Logger } from '../../../base/log.ts';
import { withoutRequest } from '../wire/rest-verdict.ts';
import type { EndpointEvent, VoiceMember } from '../../sessions/voice-swap/voice-endpoint.ts';
import type { VoicePlace } from '../../sessions/voice-swap/voice-connector.ts';

type MemberEvent = Extract<EndpointEvent, { readonly member: VoiceMember }>;

interface ChannelMembersOptions {
  readonly client: Client<true>;
  readonly place: VoicePlace;
  readonly log: Logger;
  readonly onEvent: (event: MemberEvent) => void;
}

/**
 * The members in a voice channel except the bot, as reported to its client through the intent `GuildVoiceStates`. A
 * member is listed only once it is known whether they are a bot; if necessary, the client asks Discord.
 */
export class ChannelMembers implements Disposable {
  readonly #options: ChannelMembersOptions;
  readonly #members = new Map<string, VoiceMember>();
  readonly #asked = new Set<string>();
  readonly #listener = (_before: VoiceState, now: VoiceState): void => this.#look(now);

  constructor(options: ChannelMembersOptions) {
    this.#options = options;
    const { client, place } = options;
    client.on(Events.VoiceStateUpdate, this.#listener);
    for (const state of client.guilds.cache.get(place.guildId)?.voiceStates.cache.values() ?? []) {
      this.#look(state);
    }
  }

  get list(): readonly VoiceMember[] {
    return [...this.#members.values()];
  }

  [Symbol.dispose](): void {
    this.#options.client.off(Events.VoiceStateUpdate, this.#listener);
    this.#asked.clear();
  }

  #look(state: VoiceState): void {
    const { client, place } = this.#options;
    if (state.guild.id !== place.guildId || state.id === client.user.id) return;
    if (state.channelId !== place.channelId) return this.#remove(state.id);
    const known = this.#members.get(state.id);
    const isBot = known?.isBot ?? state.member?.user.bot ?? client.users.cache.get(state.id)?.bot;
    if (isBot === undefined) this.#ask(state);
    else this.#set({ userId: state.id, isBot, isSilenced: isSilenced(state) });
  }

  #set(member: VoiceMember): void {
    const known = this.#members.get(member.userId);
    if (known?.isSilenced === member.isSilenced) return;
    this.#members.set(member.userId, member);
    this.#options.onEvent({ kind: known ? 'changed' : 'joined', member });
  }

  #remove(userId: string): void {
    this.#asked.delete(userId);
    const member = this.#members.get(userId);
    if (member && this.#members.delete(userId)) this.#options.onEvent({ kind: 'left', member });
  }

  #ask({ id, guild }: VoiceState): void {
    if (this.#asked.has(id)) return;
    this.#asked.add(id);
    const { client, log, place } = this.#options;
    client.users.fetch(id).then(
      ({ bot }) => {
        const state = guild.voiceStates.cache.get(id);
        if (!this.#asked.delete(id) || state?.channelId !== place.channelId) return;
        this.#set({ userId: id, isBot: bot, isSilenced: isSilenced(state) });
      },
      (error: unknown) => {
        this.#asked.delete(id);
        const fields = { guildId: guild.id, error: withoutRequest(error, 'read a user') };
        log.warn(fields, 'Cannot determine whether a member of a voice channel is a bot');
      },
    );
  }
}

function isSilenced({ serverMute, suppress }: VoiceState): boolean {
  return serverMute === true || suppress === true;
}
