import type { Channel } from '../chat/guild.ts';
import { changeVoiceState, enterVoice, joinRefusal, leaveVoice } from '../chat/voice-states.ts';
import type { World } from '../chat/world.ts';
import type { VoiceStateRequest } from '../gateway/frames.ts';
import type { Session } from '../gateway/session.ts';
import type { VoiceServer } from './voice-server.ts';

/**
 * Carries out opcode 4 of the main gateway: a bot joins, moves, leaves, mutes or deafens itself. Discord answers nothing
 * at all to a bot that may not join, or when the channel is full.
 */
export function requestVoiceState(
  world: World,
  server: VoiceServer,
  session: Session,
  request: VoiceStateRequest,
): void {
  const guild = world.guilds.get(request.guild_id);
  const member = guild?.members.get(session.application.bot.id);
  if (!guild || !member) return refuse(world, 'Voice in a guild where the bot is not');
  const state = guild.voiceStates.get(member.user.id);
  if (request.channel_id === null) {
    if (state) leaveVoice(world, guild, state);
    return;
  }
  const self = { selfMute: request.self_mute, selfDeaf: request.self_deaf };
  if (state?.channelId === request.channel_id && state.sessionId === session.id) {
    changeVoiceState(world, state, self);
    return server.invite(state);
  }
  const channel: Channel | undefined = guild.channels.get(request.channel_id);
  if (!channel) return refuse(world, 'A channel that does not exist');
  const refusal = joinRefusal(guild, member, channel);
  if (refusal === 'full') return;
  if (refusal) return refuse(world, refusal);
  enterVoice(world, guild, member, { channel, sessionId: session.id, self });
}

function refuse(world: World, detail: string): void {
  const kind = detail === 'forbidden' ? 'forbidden' : 'gateway_rule';
  world.violations.record(kind, 'gateway op 4', detail);
}
