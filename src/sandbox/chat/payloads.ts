import { CHANNEL_TYPES, type Channel, type Guild, type Member, type Role, type VoiceState } from './guild.ts';
import type { Payload } from './payload.ts';
import { permissionsOf } from './permissions.ts';
import { snowflakeTimeMs } from './snowflake.ts';
import type { Application, User } from './user.ts';

/** Returns a time in Discord's format, in UTC with microseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000+00:00');
}

/** Returns a user as the API sends it. */
export function userPayload(user: User): Payload {
  return {
    id: user.id,
    username: user.username,
    global_name: user.globalName,
    discriminator: user.bot ? user.id.slice(-4) : '0',
    avatar: user.avatar?.hash ?? null,
    bot: user.bot,
    system: false,
    public_flags: 0,
    flags: 0,
    banner: null,
    accent_color: null,
    avatar_decoration_data: null,
    collectibles: null,
    primary_guild: null,
  };
}

/** Returns the bot's own user, with the fields that only the bot may see. */
export function selfPayload(user: User): Payload {
  return { ...userPayload(user), mfa_enabled: true, locale: 'en-US', verified: true, email: null };
}

/** Returns a member with its user. */
export function memberPayload(member: Member): Payload {
  return { ...bareMemberPayload(member), user: userPayload(member.user) };
}

/** Returns a member without its user, as messages contain it. */
export function bareMemberPayload(member: Member): Payload {
  return {
    avatar: member.avatar?.hash ?? null,
    banner: null,
    avatar_decoration_data: null,
    collectibles: null,
    communication_disabled_until: null,
    flags: 0,
    joined_at: isoTime(member.joinedAtMs),
    nick: member.nick,
    pending: false,
    premium_since: null,
    roles: [...member.roleIds],
    mute: member.isMuted,
    deaf: member.isDeafened,
  };
}

/** Returns a role as the API sends it. */
export function rolePayload(role: Role): Payload {
  return {
    id: role.id,
    name: role.name,
    permissions: String(role.permissions),
    position: role.position,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    managed: role.botUserId !== null,
    mentionable: false,
    icon: null,
    unicode_emoji: null,
    flags: 0,
    ...(role.botUserId === null ? {} : { tags: { bot_id: role.botUserId } }),
  };
}

/** Returns a channel as the API sends it. */
export function channelPayload(channel: Channel): Payload {
  const shared = {
    id: channel.id,
    type: CHANNEL_TYPES[channel.kind],
    flags: 0,
    last_message_id: channel.messages.at(-1)?.id ?? null,
  };
  if (channel.guildId === null) {
    return { ...shared, recipients: channel.recipients.map(userPayload) };
  }
  return {
    ...shared,
    guild_id: channel.guildId,
    name: channel.name,
    position: channel.position,
    parent_id: null,
    nsfw: channel.isAgeRestricted,
    rate_limit_per_user: 0,
    permission_overwrites: channel.overwrites.map((overwrite) => ({
      id: overwrite.id,
      type: overwrite.type === 'role' ? 0 : 1,
      allow: String(overwrite.allow),
      deny: String(overwrite.deny),
    })),
    ...(channel.kind === 'text'
      ? { topic: null, last_pin_timestamp: null }
      : { topic: null, bitrate: 64_000, user_limit: channel.userLimit, rtc_region: null }),
  };
}

/** Returns a guild as the API sends it. */
export function guildPayload(guild: Guild): Payload {
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    description: null,
    home_header: null,
    splash: null,
    discovery_splash: null,
    features: [],
    banner: null,
    owner_id: guild.ownerId,
    application_id: null,
    region: 'us-west',
    afk_channel_id: null,
    afk_timeout: 300,
    system_channel_id: null,
    system_channel_flags: 0,
    widget_enabled: false,
    widget_channel_id: null,
    verification_level: 0,
    roles: [...guild.roles.values()].map(rolePayload),
    default_message_notifications: 0,
    mfa_level: 0,
    explicit_content_filter: 0,
    max_presences: null,
    max_members: 500_000,
    max_stage_video_channel_users: 50,
    max_video_channel_users: 25,
    vanity_url_code: null,
    premium_tier: 0,
    premium_subscription_count: 0,
    preferred_locale: guild.preferredLocale,
    rules_channel_id: null,
    safety_alerts_channel_id: null,
    public_updates_channel_id: null,
    premium_progress_bar_enabled: false,
    nsfw: false,
    nsfw_level: 0,
    emojis: [],
    stickers: [],
    incidents_data: null,
  };
}

/** Returns a voice state without guild and member, as GUILD_CREATE contains it. */
export function bareVoiceStatePayload(state: VoiceState): Payload {
  const { member, requestedToSpeakAtMs: requestedAtMs } = state;
  return {
    channel_id: state.channelId,
    user_id: member.user.id,
    session_id: state.sessionId,
    deaf: member.isDeafened,
    mute: member.isMuted,
    self_deaf: state.selfDeaf,
    self_mute: state.selfMute,
    self_stream: false,
    self_video: false,
    suppress: state.isSuppressed,
    request_to_speak_timestamp: requestedAtMs === null ? null : isoTime(requestedAtMs),
  };
}

/**
 * Returns a guild as the gateway sends it to `viewer`. Unless `allMembers` is true, it lists only the bot itself as
 * a member.
 */
export function guildCreatePayload(guild: Guild, viewer: Application, allMembers: boolean): Payload {
  const members = [...guild.members.values()];
  const self = guild.members.get(viewer.bot.id);
  return {
    ...guildPayload(guild),
    joined_at: isoTime(self?.joinedAtMs ?? snowflakeTimeMs(guild.id)),
    large: members.length > 50,
    unavailable: false,
    member_count: members.length,
    voice_states: [...guild.voiceStates.values()].map(bareVoiceStatePayload),
    members: members.filter((member) => allMembers || member === self).map(memberPayload),
    channels: [...guild.channels.values()].map(channelPayload),
    threads: [],
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}

/** Returns a member's permission bits in a guild, or in one of its channels, as decimal text. */
export function permissionText(guild: Guild, member: Member, channel?: Channel): string {
  return String(permissionsOf(guild, member, channel));
}
