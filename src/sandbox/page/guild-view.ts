import type { Channel, Guild, Member, VoiceState } from '../chat/guild.ts';
import { PERMISSION_BITS, type PermissionName, allows, permissionsOf } from '../chat/permissions.ts';
import type { Application, User } from '../chat/user.ts';
import type { World } from '../chat/world.ts';
import { ChannelEncryption } from '../channel-encryption.ts';
import type { PageBot, PageChannel, PageGuild, PageMember, PageState, PageVoiceState } from './page-views.ts';
import { isAdmin, peopleOf, userView } from './people.ts';

/** The data from which the page's views are made. */
export interface ViewSource {
  readonly world: World;
  readonly application: Application;
  readonly isOnline: (application: Application) => boolean;
  readonly isSpeaking: (channelId: string, userId: string) => boolean;
}

const PERMISSION_NAMES = Object.keys(PERMISSION_BITS) as PermissionName[];

/** Returns everything that `viewer` sees, except for messages. */
export function stateView(source: ViewSource, viewer: User): PageState {
  const { world } = source;
  return {
    me: userView(world, viewer),
    people: peopleOf(world).map((user) => userView(world, user)),
    bot: botView(source),
    guilds: [...world.guilds.values()].flatMap((guild) => guildFor(source, guild, viewer) ?? []),
    direct_messages: directMessagesOf(source, viewer),
    now_ms: world.clock.now(),
  };
}

/** Returns the bot that the sandbox was started for. */
export function botView({ world, application, isOnline }: ViewSource): PageBot {
  return { ...userView(world, application.bot), online: isOnline(application) };
}

/** Returns a guild as `viewer` sees it, or undefined if `viewer` is not a member. */
export function guildFor(source: ViewSource, guild: Guild, viewer: User): PageGuild | undefined {
  const member = guild.members.get(viewer.id);
  if (!member) return undefined;
  const roles = [...guild.roles.values()].toSorted((a, b) => b.position - a.position);
  return {
    id: guild.id,
    name: guild.name,
    owner_id: guild.ownerId,
    file_size_max: guild.attachmentSizeLimitBytes,
    roles: roles.map((role) => ({
      id: role.id,
      name: role.name,
      permissions: PERMISSION_NAMES.filter((name) => allows(role.permissions, name)),
      managed: role.botUserId !== null,
    })),
    channels: [...guild.channels.values()]
      .filter((channel) => allows(permissionsOf(guild, member, channel), 'VIEW_CHANNEL'))
      .map((channel) => channelView(source, guild, member, channel)),
    members: [...guild.members.values()].map((entity) => memberView(source, guild, entity)),
  };
}

/** Returns the direct message channels between bots and `viewer`. */
export function directMessagesOf({ world }: ViewSource, viewer: User): readonly PageChannel[] {
  return [...world.channels.values()]
    .filter((channel) => channel.kind === 'dm' && channel.recipients.includes(viewer))
    .map((channel) => ({
      ...shared(channel),
      name: channel.recipients.find((user) => user !== viewer)?.username ?? '',
      may: {
        send: false,
        attach: false,
        run_commands: false,
        delete_messages: false,
        connect: false,
        speak: false,
      },
      voice: [],
      encryption: null,
    }));
}

function memberView({ world, application, isOnline }: ViewSource, guild: Guild, entity: Member): PageMember {
  const { user } = entity;
  const bot = [...world.applications.values()].find((candidate) => candidate.bot === user);
  return {
    ...userView(world, user, { guild, entity }),
    role_ids: entity.roleIds,
    online: !user.bot || isOnline(bot ?? application),
    admin: isAdmin(guild, entity),
  };
}

function channelView(source: ViewSource, guild: Guild, member: Member, channel: Channel): PageChannel {
  const bits = permissionsOf(guild, member, channel);
  const may = (name: PermissionName): boolean => allows(bits, name);
  const states = [...guild.voiceStates.values()].filter((state) => state.channelId === channel.id);
  return {
    ...shared(channel),
    name: channel.name,
    may: {
      send: may('SEND_MESSAGES'),
      attach: may('ATTACH_FILES'),
      run_commands: may('USE_APPLICATION_COMMANDS'),
      delete_messages: may('MANAGE_MESSAGES'),
      connect: may('CONNECT'),
      speak: may('SPEAK'),
    },
    voice: states.map((state) => voiceStateView(source, state)),
    encryption: states.length === 0 ? null : encryptionOf(source.world, channel),
  };
}

function shared(
  channel: Channel,
): Pick<PageChannel, 'id' | 'guild_id' | 'kind' | 'status' | 'age_restricted' | 'user_limit'> {
  return {
    id: channel.id,
    guild_id: channel.guildId,
    kind: channel.kind,
    status: channel.voiceStatus,
    age_restricted: channel.isAgeRestricted,
    user_limit: channel.userLimit,
  };
}

function encryptionOf(world: World, channel: Channel): PageChannel['encryption'] {
  const { version, epoch } = new ChannelEncryption(world.calls, channel.id);
  return version === 0 ? null : { version, epoch };
}

function voiceStateView({ world, isSpeaking }: ViewSource, state: VoiceState): PageVoiceState {
  const { member, channelId } = state;
  return {
    user_id: member.user.id,
    self_mute: state.selfMute,
    self_deaf: state.selfDeaf,
    mute: member.isMuted,
    deaf: member.isDeafened,
    suppressed: state.isSuppressed,
    hand_raised: state.requestedToSpeakAtMs !== null,
    connected: world.calls.of(channelId).userIds.includes(member.user.id),
    speaking: isSpeaking(channelId, member.user.id),
  };
}
