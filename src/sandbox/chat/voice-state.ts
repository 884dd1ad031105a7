import type { VoiceState } from './guild.ts';
import type { Payload } from './payload.ts';
import { bareVoiceStatePayload, memberPayload } from './payloads.ts';

/** Whether nothing of what the member sends is passed on. */
export function isSilenced({ member, isSuppressed }: VoiceState): boolean {
  return isSuppressed || member.isMuted;
}

/** Whether nothing is sent to the member. */
export function isDeaf({ member, selfDeaf }: VoiceState): boolean {
  return selfDeaf || member.isDeafened;
}

/** A voice state as the gateway and the API tell it. `channelId` null: the member is leaving. */
export function voiceStatePayload(state: VoiceState, channelId: string | null = state.channelId): Payload {
  return {
    ...bareVoiceStatePayload(state),
    channel_id: channelId,
    guild_id: state.guildId,
    member: memberPayload(state.member),
  };
}
