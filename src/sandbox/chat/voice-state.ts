import type { VoiceState } from './guild.ts';
import type { Payload } from './payload.ts';
import { bareVoiceStatePayload, memberPayload } from './payloads.ts';

/** Whether the other members cannot hear this member. */
export function isSilenced({ member, isSuppressed }: VoiceState): boolean {
  return isSuppressed || member.isMuted;
}

/** Whether no sound is sent to the member. */
export function isDeaf({ member, selfDeaf }: VoiceState): boolean {
  return selfDeaf || member.isDeafened;
}

/** Returns a voice state as the gateway and the API send it. If `channelId` is null, the member is leaving. */
export function voiceStatePayload(state: VoiceState, channelId: string | null = state.channelId): Payload {
  return {
    ...bareVoiceStatePayload(state),
    channel_id: channelId,
    guild_id: state.guildId,
    member: memberPayload(state.member),
  };
}
