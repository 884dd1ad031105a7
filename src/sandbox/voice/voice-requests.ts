import { changeVoiceState, enterVoice, joinRefusal, leaveVoice } from '../chat/voice-states.ts';
import type { World } from '../chat/world.ts';
import type { VoiceStateRequest } from '../gateway/frames.ts';
import type { Session } from '../gateway/session.ts';
import type { VoiceServer } from './voice-server.ts';

/**
 * Handles opcode 4 of the main gateway: a bot joins, moves, leaves, mutes or deafens itself. Discord sends no response
 * at all if the bot may not join or if the channel is full.
 */
export function requestVoiceState(
  world: World,
  server: VoiceServer,
  session: Session,
  request: VoiceStateRequest,
): void {
  const guild = world.guilds.get(request.guild_id);
  const member = guild?.members.get(session.application.bot.id);
  const state = guild?.voiceStates.get(session.application.bot.id);
  if (request.channel_id === null) {
    if (guild && state) leaveVoice(world, guild, state);
    return;
  }
  if (!guild || !member) return refuse(world, 'The bot is not in the guild');
  const self = { selfMute: request.self_mute, selfDeaf: request.self_deaf };
  if (state?.channelId === request.channel_id && state.sessionId === session.id) {
    changeVoiceState(world, state, self);
    return server.invite(state);
  }
  const channel = guild.channels.get(request.channel_id);
  // The channel may just have been deleted, which is not the bot's mistake.
  if (!channel) return;
  const refusal = joinRefusal(guild, member, channel);
  if (refusal === 'full') return;
  if (refusal) return refuse(world, refusal);
  enterVoice(world, guild, member, { channel, sessionId: session.id, self });
}

/** Removes a bot from the channels that it joined with a gateway session that ended permanently. */
export function endVoiceOf(world: World, session: Session): void {
  for (const guild of world.guilds.values()) {
    const state = guild.voiceStates.get(session.application.bot.id);
    if (state?.sessionId === session.id) leaveVoice(world, guild, state);
  }
}

function refuse(world: World, detail: string): void {
  const kind = detail === 'forbidden' ? 'forbidden' : 'gateway_rule';
  world.violations.record(kind, 'gateway op 4', detail);
}
