import { ApiError } from './api-error.ts';
import type { Channel, Guild, Member, VoiceState } from './guild.ts';
import { emitMember } from './emit-member.ts';
import { allows, permissionsOf } from './permissions.ts';
import { voiceStatePayload } from './voice-state.ts';
import type { World } from './world.ts';

const INTENT_GUILD_VOICE_STATES = 1 << 7;

/** The options that a client sends when it joins. */
export interface SelfState {
  readonly selfMute: boolean;
  readonly selfDeaf: boolean;
}

/** The reason why a member cannot join a voice channel. */
type JoinRefusal = 'no_voice_channel' | 'forbidden' | 'full';

/** Returns why `member` may not join `channel` now, or undefined if the member may. */
export function joinRefusal(guild: Guild, member: Member, channel: Channel): JoinRefusal | undefined {
  if (!isVoiceChannel(channel)) return 'no_voice_channel';
  const bits = permissionsOf(guild, member, channel);
  if (!allows(bits, 'CONNECT')) return 'forbidden';
  const present = [...guild.voiceStates.values()].filter(
    (state) => state.channelId === channel.id && state.member !== member,
  );
  const isFull = channel.userLimit > 0 && present.length >= channel.userLimit;
  return isFull && !allows(bits, 'MOVE_MEMBERS') ? 'full' : undefined;
}

/**
 * Moves a member into a voice channel, whether or not the member is in another one. The caller must have checked that
 * the member may join.
 */
export function enterVoice(
  world: World,
  guild: Guild,
  member: Member,
  entry: { readonly channel: Channel; readonly sessionId: string; readonly self: SelfState },
): VoiceState {
  const { channel, sessionId, self } = entry;
  const before = guild.voiceStates.get(member.user.id);
  if (before && before.sessionId !== sessionId) leaveVoice(world, guild, before);
  const state = guild.voiceStates.get(member.user.id) ?? {
    guildId: guild.id,
    member,
    channelId: channel.id,
    sessionId,
    ...self,
    isSuppressed: false,
    requestedToSpeakAtMs: null,
  };
  guild.voiceStates.set(member.user.id, state);
  const from = before?.sessionId === sessionId ? before.channelId : null;
  Object.assign(state, self);
  if (from !== channel.id) {
    state.channelId = channel.id;
    state.requestedToSpeakAtMs = null;
    state.isSuppressed = isSuppressedAtFirst(guild, member, channel);
  }
  emitVoiceState(world, state);
  if (from !== channel.id) world.voiceMoved({ state, from, to: channel.id });
  return state;
}

/** Removes a member from its voice channel. */
export function leaveVoice(world: World, guild: Guild, state: VoiceState): void {
  guild.voiceStates.delete(state.member.user.id);
  emitVoiceState(world, state, null);
  world.voiceMoved({ state, from: state.channelId, to: null });
}

/**
 * Moves a member who is in voice to another channel, regardless of the member's permissions there. Throws for a text
 * channel.
 */
export function moveInVoice(world: World, guild: Guild, state: VoiceState, channel: Channel): void {
  if (!isVoiceChannel(channel)) throw new ApiError('wrongChannelType');
  const { sessionId, selfMute, selfDeaf } = state;
  enterVoice(world, guild, state.member, { channel, sessionId, self: { selfMute, selfDeaf } });
}

/** Changes a voice state and notifies the bots. */
export function changeVoiceState(
  world: World,
  state: VoiceState,
  changes: Partial<Pick<VoiceState, 'selfMute' | 'selfDeaf' | 'isSuppressed' | 'requestedToSpeakAtMs'>>,
): void {
  Object.assign(state, changes);
  emitVoiceState(world, state);
}

/** Mutes or deafens a member in the whole server, even if the member is not in a voice channel. */
export function silenceMember(
  world: World,
  guild: Guild,
  member: Member,
  changes: Partial<Pick<Member, 'isMuted' | 'isDeafened'>>,
): void {
  Object.assign(member, changes);
  emitMember(world, guild, member, 'GUILD_MEMBER_UPDATE');
  const state = guild.voiceStates.get(member.user.id);
  if (state) emitVoiceState(world, state);
}

/**
 * Updates who may speak after permissions have changed: members without permission to speak are suppressed, the
 * others are not. Stages are left unchanged, because moderators decide there.
 */
export function reviewSpeakers(world: World, guild: Guild): void {
  for (const state of guild.voiceStates.values()) {
    const channel = guild.channels.get(state.channelId);
    if (channel?.kind !== 'voice') continue;
    const isSuppressed = isSuppressedAtFirst(guild, state.member, channel);
    if (isSuppressed !== state.isSuppressed) changeVoiceState(world, state, { isSuppressed });
  }
}

function isVoiceChannel({ kind }: Channel): boolean {
  return kind === 'voice' || kind === 'stage';
}

/**
 * On a stage, everybody starts in the audience. Elsewhere, only members without permission to speak are suppressed.
 */
function isSuppressedAtFirst(guild: Guild, member: Member, channel: Channel): boolean {
  return channel.kind === 'stage' || !allows(permissionsOf(guild, member, channel), 'SPEAK');
}

function emitVoiceState(world: World, state: VoiceState, channelId?: null): void {
  const data = voiceStatePayload(state, channelId);
  world.emit({
    event: 'VOICE_STATE_UPDATE',
    intents: INTENT_GUILD_VOICE_STATES,
    guildId: state.guildId,
    data: () => data,
  });
}
