import { z } from 'zod';
import { ApiError } from '../chat/api-error.ts';
import type { Channel, Guild, Member, VoiceState } from '../chat/guild.ts';
import { setNick } from '../chat/guilds.ts';
import { memberPayload } from '../chat/payloads.ts';
import { type PermissionName, allows, permissionsOf } from '../chat/permissions.ts';
import { voiceStatePayload } from '../chat/voice-state.ts';
import { changeVoiceState, leaveVoice, moveInVoice, silenceMember } from '../chat/voice-states.ts';
import { mayInChannel } from './access.ts';
import { joinedGuild } from './guild-routes.ts';
import { type Answer, type Call, type Route, bodyOf, caller, param } from './route.ts';

const snowflake = z.string().regex(/^\d{17,19}$/);

/** Returns the routes for voice states, and for moderators' actions on members in voice channels. */
export function voiceRoutes(): Route[] {
  const states = '/guilds/:guildId/voice-states';
  return [
    { method: 'GET', path: `${states}/@me`, auth: 'bot', handle: getVoiceState },
    { method: 'GET', path: `${states}/:userId`, auth: 'bot', handle: getVoiceState },
    { method: 'PATCH', path: `${states}/@me`, auth: 'bot', handle: changeOwnState },
    { method: 'PATCH', path: `${states}/:userId`, auth: 'bot', handle: changeStateOfAnother },
    { method: 'PATCH', path: '/guilds/:guildId/members/:userId', auth: 'bot', handle: changeMember },
  ];
}

function getVoiceState(call: Call): Answer {
  const { member: _member, ...body } = voiceStatePayload(voiceStateOf(call, joinedGuild(call)));
  return { status: 200, body };
}

const ownState = z.strictObject({
  channel_id: snowflake.optional(),
  suppress: z.boolean().nullish(),
  request_to_speak_timestamp: z.iso.datetime({ offset: true }).nullish(),
});

/** Handles the bot's own requests on a stage: to move to the audience or the podium, or to raise its hand. */
function changeOwnState(call: Call): Answer {
  const guild = joinedGuild(call);
  const state = voiceStateOf(call, guild);
  const { suppress, request_to_speak_timestamp: requestedAt, channel_id: channelId } = bodyOf(call, ownState);
  const stage = stageOf(guild, state, channelId);
  if (suppress === false) demandThere(call, stage, 'MUTE_MEMBERS');
  if (requestedAt) demandThere(call, stage, 'REQUEST_TO_SPEAK');
  if (typeof suppress === 'boolean') changeVoiceState(call.world, state, { isSuppressed: suppress });
  if (requestedAt !== undefined || suppress === true) {
    const requestedToSpeakAtMs = requestedAt ? Date.parse(requestedAt) : null;
    changeVoiceState(call.world, state, { requestedToSpeakAtMs });
  }
  return { status: 204 };
}

const stateOfAnother = z.strictObject({ channel_id: snowflake.optional(), suppress: z.boolean().nullish() });

function changeStateOfAnother(call: Call): Answer {
  const guild = joinedGuild(call);
  const state = voiceStateOf(call, guild);
  const { suppress, channel_id: channelId } = bodyOf(call, stateOfAnother);
  const stage = stageOf(guild, state, channelId);
  demandThere(call, stage, 'MUTE_MEMBERS');
  if (typeof suppress === 'boolean') {
    // The request time marks an invitation, which a person must accept before speaking. A bot is on the podium at once.
    const isAsked = !suppress && !state.member.user.bot;
    const requestedToSpeakAtMs = isAsked ? call.world.clock.now() : null;
    changeVoiceState(call.world, state, { isSuppressed: suppress, requestedToSpeakAtMs });
  }
  return { status: 204 };
}

const memberChanges = z.strictObject({
  nick: z.string().max(32).nullish(),
  mute: z.boolean().nullish(),
  deaf: z.boolean().nullish(),
  channel_id: snowflake.nullish(),
});

function changeMember(call: Call): Answer {
  const guild = joinedGuild(call);
  const member = call.world.member(guild, param(call, 'userId'));
  const { nick, mute, deaf, channel_id: channelId } = bodyOf(call, memberChanges);
  const state = guild.voiceStates.get(member.user.id);
  const silences = typeof mute === 'boolean' || typeof deaf === 'boolean';
  if ((silences || channelId !== undefined) && !state) throw new ApiError('notInVoice');
  if (nick !== undefined) demandOf(call, guild, 'MANAGE_NICKNAMES');
  if (state) demandModeration(call, guild, state, { mute, deaf, channelId });
  if (nick !== undefined) setNick(call.world, guild, member, nick);
  if (typeof mute === 'boolean') silenceMember(call.world, guild, member, { isMuted: mute });
  if (typeof deaf === 'boolean') silenceMember(call.world, guild, member, { isDeafened: deaf });
  if (state && channelId !== undefined) moveOrDisconnect(call, guild, state, channelId);
  return { status: 200, body: memberPayload(member) };
}

function demandModeration(
  call: Call,
  guild: Guild,
  state: VoiceState,
  wanted: { mute: unknown; deaf: unknown; channelId: unknown },
): void {
  const channel = channelOf(guild, state.channelId);
  if (typeof wanted.mute === 'boolean') demandThere(call, channel, 'MUTE_MEMBERS');
  if (typeof wanted.deaf === 'boolean') demandThere(call, channel, 'DEAFEN_MEMBERS');
  if (wanted.channelId !== undefined) demandThere(call, channel, 'MOVE_MEMBERS');
}

function moveOrDisconnect(call: Call, guild: Guild, state: VoiceState, channelId: string | null): void {
  if (channelId === null) return leaveVoice(call.world, guild, state);
  const channel = channelOf(guild, channelId);
  demandThere(call, channel, 'CONNECT');
  moveInVoice(call.world, guild, state, channel);
}

/** Returns the voice state of the user in the path, or the bot's own. Throws `Unknown Voice State` if there is none. */
function voiceStateOf(call: Call, guild: Guild): VoiceState {
  const state = guild.voiceStates.get(call.params['userId'] ?? caller(call).bot.id);
  if (!state) throw new ApiError('unknownVoiceState');
  return state;
}

function stageOf(guild: Guild, state: VoiceState, channelId: string | undefined): Channel {
  const channel = channelOf(guild, channelId ?? state.channelId);
  if (channel.kind !== 'stage') throw new ApiError('wrongChannelType');
  if (channel.id !== state.channelId) throw new ApiError('unknownVoiceState');
  return channel;
}

function channelOf(guild: Guild, id: string): Channel {
  const channel = guild.channels.get(id);
  if (!channel) throw new ApiError('unknownChannel');
  return channel;
}

function demandThere(call: Call, channel: Channel, name: PermissionName): void {
  if (!mayInChannel(call, channel, name)) throw new ApiError('missingPermissions');
}

function demandOf(call: Call, guild: Guild, name: PermissionName): void {
  const member: Member = call.world.member(guild, caller(call).bot.id);
  if (!allows(permissionsOf(guild, member), name)) throw new ApiError('missingPermissions');
}
