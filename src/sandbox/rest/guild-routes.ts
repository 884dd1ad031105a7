import { z } from 'zod';
import { ApiError } from '../chat/api-error.ts';
import type { Guild } from '../chat/guild.ts';
import { directMessageChannel, setChannelStatus, setNick } from '../chat/guilds.ts';
import {
  channelPayload,
  guildPayload,
  memberPayload,
  permissionText,
  rolePayload,
} from '../chat/payloads.ts';
import { allows, permissionsOf } from '../chat/permissions.ts';
import { demand, visibleChannel } from './access.ts';
import { type Answer, type Call, type Route, bodyOf, caller, param } from './route.ts';

const GUILDS_PAGE_MAX = 200;

/** Returns the routes with which a bot reads guilds, channels and members. */
export function guildRoutes(): Route[] {
  const guild = '/guilds/:guildId';
  return [
    { method: 'GET', path: '/users/@me/guilds', auth: 'bot', query: pageQuery, handle: myGuilds },
    { method: 'POST', path: '/users/@me/channels', auth: 'bot', handle: openDirectMessage },
    { method: 'GET', path: guild, auth: 'bot', query: ['with_counts'], handle: getGuild },
    {
      method: 'GET',
      path: `${guild}/channels`,
      auth: 'bot',
      handle: (call) => ({
        status: 200,
        body: [...joinedGuild(call).channels.values()].map(channelPayload),
      }),
    },
    {
      method: 'GET',
      path: `${guild}/roles`,
      auth: 'bot',
      handle: (call) => ({ status: 200, body: [...joinedGuild(call).roles.values()].map(rolePayload) }),
    },
    { method: 'GET', path: `${guild}/members/:userId`, auth: 'bot', handle: getMember },
    {
      method: 'GET',
      path: '/channels/:channelId',
      auth: 'bot',
      handle: (call) => ({ status: 200, body: channelPayload(visibleChannel(call)) }),
    },
    {
      method: 'POST',
      path: '/channels/:channelId/typing',
      auth: 'bot',
      handle: (call) => {
        const { id: channelId } = visibleChannel(call);
        call.world.touch({ is: 'typing', channelId, userId: caller(call).bot.id });
        return { status: 204 };
      },
    },
    { method: 'PATCH', path: `${guild}/members/@me`, auth: 'bot', handle: changeSelf },
    { method: 'PUT', path: '/channels/:channelId/voice-status', auth: 'bot', handle: setVoiceStatus },
  ];
}

function changeSelf(call: Call): Answer {
  const guild = joinedGuild(call);
  const member = call.world.member(guild, caller(call).bot.id);
  const { nick } = bodyOf(call, z.strictObject({ nick: z.string().max(32).nullish() }));
  if (nick !== undefined) {
    if (!allows(permissionsOf(guild, member), 'CHANGE_NICKNAME')) throw new ApiError('missingPermissions');
    setNick(call.world, guild, member, nick);
  }
  return { status: 200, body: memberPayload(member) };
}

function setVoiceStatus(call: Call): Answer {
  const channel = visibleChannel(call);
  if (channel.kind !== 'voice') throw new ApiError('wrongChannelType');
  demand(call, channel, 'SET_VOICE_CHANNEL_STATUS');
  const { status } = bodyOf(call, z.strictObject({ status: z.string().max(500).nullish() }));
  setChannelStatus(call.world, channel, status ?? null);
  return { status: 204 };
}

const pageQuery = ['before', 'after', 'limit', 'with_counts'];

/** Returns the guild in the path. Throws 10004 unless the bot is a member. */
export function joinedGuild(call: Call): Guild {
  const guild = call.world.guild(param(call, 'guildId'));
  if (!guild.members.has(caller(call).bot.id)) throw new ApiError('unknownGuild');
  return guild;
}

function getGuild(call: Call): Answer {
  const guild = joinedGuild(call);
  const counts =
    call.query['with_counts'] === 'true'
      ? { approximate_member_count: guild.members.size, approximate_presence_count: guild.members.size }
      : {};
  return { status: 200, body: { ...guildPayload(guild), ...counts } };
}

function getMember(call: Call): Answer {
  const guild = joinedGuild(call);
  return { status: 200, body: memberPayload(call.world.member(guild, param(call, 'userId'))) };
}

function myGuilds(call: Call): Answer {
  const bot = caller(call).bot;
  const { before, after, limit } = call.query;
  const body = [...call.world.guilds.values()]
    .filter((guild) => !before || BigInt(guild.id) < BigInt(before))
    .filter((guild) => !after || BigInt(guild.id) > BigInt(after))
    .flatMap((guild) => {
      const member = guild.members.get(bot.id);
      if (!member) return [];
      const permissions = permissionText(guild, member);
      return [
        { id: guild.id, name: guild.name, icon: null, banner: null, owner: false, permissions, features: [] },
      ];
    })
    .slice(0, Number(limit ?? GUILDS_PAGE_MAX));
  return { status: 200, body };
}

function openDirectMessage(call: Call): Answer {
  const { recipient_id: recipientId } = bodyOf(call, z.strictObject({ recipient_id: z.string() }));
  const user = call.world.users.get(recipientId);
  if (!user) throw new ApiError('unknownUser');
  if (user.bot) throw new ApiError('cannotSendToUser');
  return {
    status: 200,
    body: channelPayload(directMessageChannel(call.world, caller(call).bot, user)),
  };
}
