import type { Channel, Guild, Member } from './guild.ts';

/** The bit number of each permission that the sandbox supports. */
export const PERMISSION_BITS = {
  CREATE_INSTANT_INVITE: 0,
  KICK_MEMBERS: 1,
  BAN_MEMBERS: 2,
  ADMINISTRATOR: 3,
  MANAGE_CHANNELS: 4,
  MANAGE_GUILD: 5,
  ADD_REACTIONS: 6,
  VIEW_AUDIT_LOG: 7,
  PRIORITY_SPEAKER: 8,
  STREAM: 9,
  VIEW_CHANNEL: 10,
  SEND_MESSAGES: 11,
  SEND_TTS_MESSAGES: 12,
  MANAGE_MESSAGES: 13,
  EMBED_LINKS: 14,
  ATTACH_FILES: 15,
  READ_MESSAGE_HISTORY: 16,
  MENTION_EVERYONE: 17,
  USE_EXTERNAL_EMOJIS: 18,
  CONNECT: 20,
  SPEAK: 21,
  MUTE_MEMBERS: 22,
  DEAFEN_MEMBERS: 23,
  MOVE_MEMBERS: 24,
  USE_VAD: 25,
  CHANGE_NICKNAME: 26,
  MANAGE_NICKNAMES: 27,
  MANAGE_ROLES: 28,
  USE_APPLICATION_COMMANDS: 31,
  REQUEST_TO_SPEAK: 32,
  SEND_MESSAGES_IN_THREADS: 38,
  MODERATE_MEMBERS: 40,
  SEND_VOICE_MESSAGES: 46,
  SET_VOICE_CHANNEL_STATUS: 48,
} as const;

/** The name of a permission, as in Discord's API. */
export type PermissionName = keyof typeof PERMISSION_BITS;

/** All permission bits that the sandbox supports. */
const ALL_PERMISSIONS: bigint = permissionBits(...(Object.keys(PERMISSION_BITS) as PermissionName[]));

/** The permissions of @everyone in a new guild. */
export const EVERYONE_PERMISSIONS: bigint = permissionBits(
  'VIEW_CHANNEL',
  'SEND_MESSAGES',
  'EMBED_LINKS',
  'ATTACH_FILES',
  'READ_MESSAGE_HISTORY',
  'ADD_REACTIONS',
  'USE_EXTERNAL_EMOJIS',
  'USE_APPLICATION_COMMANDS',
  'CONNECT',
  'SPEAK',
  'STREAM',
  'USE_VAD',
  'CHANGE_NICKNAME',
  'SEND_MESSAGES_IN_THREADS',
  'SEND_VOICE_MESSAGES',
  'REQUEST_TO_SPEAK',
);

/** The permissions of the role that a bot gets when it is invited: those of @everyone and SET_VOICE_CHANNEL_STATUS. */
export const BOT_PERMISSIONS: bigint = EVERYONE_PERMISSIONS | permissionBits('SET_VOICE_CHANNEL_STATUS');

/** Returns the bit field of the named permissions. */
export function permissionBits(...names: readonly PermissionName[]): bigint {
  return names.reduce((bits, name) => bits | (1n << BigInt(PERMISSION_BITS[name])), 0n);
}

/** Whether a bit field contains a permission. */
export function allows(bits: bigint, name: PermissionName): boolean {
  return (bits & (1n << BigInt(PERMISSION_BITS[name]))) !== 0n;
}

/**
 * Returns the permissions of `member` in the guild or, if `channel` is given, in that channel: those of the member's
 * roles, changed by the channel's overwrites.
 */
export function permissionsOf(guild: Guild, member: Member, channel?: Channel): bigint {
  const base = guildPermissions(guild, member);
  if (base === ALL_PERMISSIONS || !channel) return base;
  const overwrite = (id: string): { allow: bigint; deny: bigint } =>
    channel.overwrites.find((entry) => entry.id === id) ?? { allow: 0n, deny: 0n };
  const everyone = overwrite(guild.id);
  let bits = (base & ~everyone.deny) | everyone.allow;
  const roles = member.roleIds.map(overwrite);
  const deny = roles.reduce((all, role) => all | role.deny, 0n);
  const allow = roles.reduce((all, role) => all | role.allow, 0n);
  bits = (bits & ~deny) | allow;
  const own = overwrite(member.user.id);
  bits = (bits & ~own.deny) | own.allow;
  return allows(bits, 'VIEW_CHANNEL') ? bits : 0n;
}

function guildPermissions(guild: Guild, member: Member): bigint {
  if (guild.ownerId === member.user.id) return ALL_PERMISSIONS;
  const bits = [guild.id, ...member.roleIds].reduce(
    (all, roleId) => all | (guild.roles.get(roleId)?.permissions ?? 0n),
    0n,
  );
  return allows(bits, 'ADMINISTRATOR') ? ALL_PERMISSIONS : bits;
}
