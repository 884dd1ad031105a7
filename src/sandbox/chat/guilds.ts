import { emitMember } from './emit-member.ts';
import { FILE_SIZE_BYTES_DEFAULT } from './file-limits.ts';
import type { Channel, ChannelKind, Guild, Member, Overwrite, Role } from './guild.ts';
import { channelPayload, guildCreatePayload, memberPayload, rolePayload } from './payloads.ts';
import { BOT_PERMISSIONS, EVERYONE_PERMISSIONS } from './permissions.ts';
import { snowflakeTimeMs } from './snowflake.ts';
import type { Application, User } from './user.ts';
import { leaveVoice, reviewSpeakers } from './voice-states.ts';
import type { World } from './world.ts';

const INTENT_GUILDS = 1;
const INTENT_GUILD_MEMBERS = 2;

/** Creates a user who is not in any guild. */
export function createUser(world: World, name: string, bot: boolean): User {
  const username =
    name
      .toLowerCase()
      .replace(/[^a-z0-9_.]/g, '_')
      .slice(0, 32) || 'user';
  const user: User = {
    id: world.ids.next(),
    username,
    globalName: bot ? null : name,
    avatar: null,
    bot,
    acceptsDirectMessages: true,
  };
  world.users.set(user.id, user);
  return user;
}

/** Creates a guild with a new user as its owner. Every bot joins it. */
export function createGuild(
  world: World,
  name: string,
  options: { attachmentSizeLimitBytes?: number },
): Guild {
  const id = world.ids.next();
  const owner = createUser(world, 'Owner', false);
  const everyone: Role = {
    id,
    name: '@everyone',
    permissions: EVERYONE_PERMISSIONS,
    position: 0,
    botUserId: null,
  };
  const guild: Guild = {
    id,
    name,
    ownerId: owner.id,
    roles: new Map([[id, everyone]]),
    members: new Map(),
    channels: new Map(),
    voiceStates: new Map(),
    attachmentSizeLimitBytes: options.attachmentSizeLimitBytes ?? FILE_SIZE_BYTES_DEFAULT,
    preferredLocale: 'en-US',
  };
  world.guilds.set(id, guild);
  addMember(world, guild, owner);
  for (const application of world.applications.values()) inviteBot(world, guild, application);
  return guild;
}

/** Adds a bot with a role of its own, and sends the bot GUILD_CREATE. */
export function inviteBot(world: World, guild: Guild, application: Application): void {
  const role = addRole(world, guild, application.name, BOT_PERMISSIONS, application.bot.id);
  addMember(world, guild, application.bot, [role.id]);
  world.emit({
    event: 'GUILD_CREATE',
    intents: INTENT_GUILDS,
    applicationId: application.id,
    guildId: guild.id,
    data: (viewer) => guildCreatePayload(guild, viewer, viewer.privilegedIntents),
  });
}

/** Removes a bot and sends it GUILD_DELETE. */
export function removeBot(world: World, guild: Guild, application: Application): void {
  world.emit({
    event: 'GUILD_DELETE',
    intents: INTENT_GUILDS,
    applicationId: application.id,
    guildId: guild.id,
    data: () => ({ id: guild.id }),
  });
  leaveVoiceOf(world, guild, application.bot.id);
  guild.members.delete(application.bot.id);
}

/** Simulates an outage: the bot receives GUILD_DELETE, but stays a member. */
export function loseGuild(world: World, guild: Guild, application: Application): void {
  world.emit({
    event: 'GUILD_DELETE',
    intents: INTENT_GUILDS,
    applicationId: application.id,
    guildId: guild.id,
    data: () => ({ id: guild.id, unavailable: true }),
  });
}

/** Adds a role above the others and notifies the bots. */
export function addRole(
  world: World,
  guild: Guild,
  name: string,
  permissions: bigint,
  botUserId: string | null = null,
): Role {
  const role: Role = { id: world.ids.next(), name, permissions, position: guild.roles.size, botUserId };
  guild.roles.set(role.id, role);
  emitRole(world, guild, role, 'GUILD_ROLE_CREATE');
  return role;
}

/** Changes the permissions of a role. */
export function setRolePermissions(world: World, guild: Guild, role: Role, permissions: bigint): void {
  role.permissions = permissions;
  emitRole(world, guild, role, 'GUILD_ROLE_UPDATE');
  reviewSpeakers(world, guild);
}

function emitRole(world: World, guild: Guild, role: Role, event: string): void {
  world.emit({
    event,
    intents: INTENT_GUILDS,
    guildId: guild.id,
    data: () => ({ guild_id: guild.id, role: rolePayload(role) }),
  });
}

/** Adds a user to the guild and notifies the bots that have the members intent. */
export function addMember(world: World, guild: Guild, user: User, roleIds: readonly string[] = []): Member {
  const id = world.ids.next();
  const joinedAtMs = snowflakeTimeMs(id);
  const member: Member = {
    user,
    nick: null,
    avatar: null,
    roleIds: [...roleIds],
    isMuted: false,
    isDeafened: false,
    joinedAtMs,
  };
  guild.members.set(user.id, member);
  emitMember(world, guild, member, 'GUILD_MEMBER_ADD');
  return member;
}

/** Replaces the roles of a member. */
export function setMemberRoles(world: World, guild: Guild, member: Member, roleIds: readonly string[]): void {
  member.roleIds = [...roleIds];
  emitMember(world, guild, member, 'GUILD_MEMBER_UPDATE');
  reviewSpeakers(world, guild);
}

/** Changes a member's nickname in the guild; null removes it. */
export function setNick(world: World, guild: Guild, member: Member, nick: string | null): void {
  member.nick = nick === '' ? null : nick;
  emitMember(world, guild, member, 'GUILD_MEMBER_UPDATE');
}

/** Changes the status text of a voice channel. */
export function setChannelStatus(world: World, channel: Channel, status: string | null): void {
  channel.voiceStatus = status === '' ? null : status;
  world.emit({
    event: 'VOICE_CHANNEL_STATUS_UPDATE',
    intents: INTENT_GUILDS,
    channel,
    ...(channel.guildId === null ? {} : { guildId: channel.guildId }),
    data: () => ({ id: channel.id, guild_id: channel.guildId, status: channel.voiceStatus }),
  });
}

/** Removes a member and notifies the bots that have the members intent. */
export function removeMember(world: World, guild: Guild, member: Member): void {
  leaveVoiceOf(world, guild, member.user.id);
  guild.members.delete(member.user.id);
  world.emit({
    event: 'GUILD_MEMBER_REMOVE',
    intents: INTENT_GUILD_MEMBERS,
    guildId: guild.id,
    data: () => ({ guild_id: guild.id, user: memberPayload(member)['user'] }),
  });
}

function leaveVoiceOf(world: World, guild: Guild, userId: string): void {
  const state = guild.voiceStates.get(userId);
  if (state) leaveVoice(world, guild, state);
}

/** Adds a channel below the others and notifies the bots. */
export function addChannel(
  world: World,
  guild: Guild,
  kind: ChannelKind,
  name: string,
  overwrites: readonly Overwrite[] = [],
): Channel {
  const channel = newChannel(world, kind, name, guild.id, []);
  channel.position = guild.channels.size;
  channel.overwrites = [...overwrites];
  guild.channels.set(channel.id, channel);
  emitChannel(world, channel, 'CHANNEL_CREATE');
  return channel;
}

/** Replaces a channel's permission overwrites. */
export function setOverwrites(world: World, channel: Channel, overwrites: readonly Overwrite[]): void {
  channel.overwrites = [...overwrites];
  emitChannel(world, channel, 'CHANNEL_UPDATE');
  const guild = world.guildOf(channel);
  if (guild) reviewSpeakers(world, guild);
}

/** Sets the maximum number of members in a voice channel (0 means no limit) and notifies the bots. */
export function setUserLimit(world: World, channel: Channel, userLimit: number): void {
  channel.userLimit = userLimit;
  emitChannel(world, channel, 'CHANNEL_UPDATE');
}

/** Sets whether a channel is age-restricted, and notifies the bots. */
export function setAgeRestriction(world: World, channel: Channel, isAgeRestricted: boolean): void {
  channel.isAgeRestricted = isAgeRestricted;
  emitChannel(world, channel, 'CHANNEL_UPDATE');
}

/** Deletes a channel with its messages and notifies the bots. */
export function removeChannel(world: World, guild: Guild, channel: Channel): void {
  guild.channels.delete(channel.id);
  world.channels.delete(channel.id);
  for (const state of guild.voiceStates.values()) {
    if (state.channelId === channel.id) leaveVoice(world, guild, state);
  }
  emitChannel(world, channel, 'CHANNEL_DELETE');
}

function emitChannel(world: World, channel: Channel, event: string): void {
  world.emit({
    event,
    intents: INTENT_GUILDS,
    ...(channel.guildId === null ? {} : { guildId: channel.guildId }),
    data: () => channelPayload(channel),
  });
}

/** Returns the direct message channel between a bot and a user, and creates it if necessary. */
export function directMessageChannel(world: World, bot: User, user: User): Channel {
  const existing = [...world.channels.values()].find(
    (channel) =>
      channel.kind === 'dm' && channel.recipients.includes(bot) && channel.recipients.includes(user),
  );
  return existing ?? newChannel(world, 'dm', '', null, [bot, user]);
}

function newChannel(
  world: World,
  kind: ChannelKind,
  name: string,
  guildId: string | null,
  recipients: readonly User[],
): Channel {
  const channel: Channel = {
    id: world.ids.next(),
    kind,
    guildId,
    name,
    position: 0,
    overwrites: [],
    recipients,
    messages: [],
    userLimit: 0,
    voiceStatus: null,
    isAgeRestricted: false,
  };
  world.channels.set(channel.id, channel);
  return channel;
}
