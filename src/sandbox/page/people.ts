import { createHash } from 'node:crypto';
import type { Guild, Member } from '../chat/guild.ts';
import { type PermissionName, allows, permissionsOf } from '../chat/permissions.ts';
import type { User } from '../chat/user.ts';
import type { World } from '../chat/world.ts';
import type { PageUser } from './page-views.ts';

/** White text is readable on each of these colours. */
const COLOURS = ['#7a3e9d', '#0b6e5f', '#a33b2a', '#2b5fa8', '#8a5a00', '#9b2c5e', '#3f6b1f', '#4b4fb0'];
const ADMIN_PERMISSIONS: readonly PermissionName[] = ['ADMINISTRATOR', 'MANAGE_GUILD'];

/** Returns a user as the page shows them: with their name and avatar in `member`'s guild if `member` is given. */
export function userView(world: World, user: User, member?: { guild: Guild; entity: Member }): PageUser {
  return {
    id: user.id,
    name: member?.entity.nick ?? user.globalName ?? user.username,
    bot: user.bot,
    avatar_url: avatarUrl(world, user, member),
    colour: colourOf(user.username),
  };
}

/**
 * Returns an author as the page shows them: with their name and avatar in the guild unless `guildId` is null or they
 * have left the guild.
 */
export function userIn(world: World, guildId: string | null, user: User): PageUser {
  const guild = guildId === null ? undefined : world.guilds.get(guildId);
  const entity = guild?.members.get(user.id);
  return userView(world, user, guild && entity ? { guild, entity } : undefined);
}

/** Whether a member is an administrator or may manage the guild. */
export function isAdmin(guild: Guild, member: Member): boolean {
  const bits = permissionsOf(guild, member);
  return ADMIN_PERMISSIONS.some((name) => allows(bits, name));
}

/**
 * Returns all users that the page can act as: admins first, then by name. Owners that were created automatically come
 * last.
 */
export function peopleOf(world: World): readonly User[] {
  const people = [...world.users.values()].filter((user) => !user.bot);
  const rank = (user: User): number => {
    const memberships = [...world.guilds.values()].flatMap((guild) => {
      const member = guild.members.get(user.id);
      return member ? [{ guild, member }] : [];
    });
    if (memberships.some(({ guild }) => guild.ownerId === user.id)) return 2;
    return memberships.some(({ guild, member }) => isAdmin(guild, member)) ? 0 : 1;
  };
  return people
    .map((user) => ({ user, rank: rank(user) }))
    .toSorted((a, b) => a.rank - b.rank || a.user.username.localeCompare(b.user.username))
    .map(({ user }) => user);
}

function avatarUrl(world: World, user: User, member?: { guild: Guild; entity: Member }): string | null {
  const own = member?.entity.avatar;
  if (member && own) {
    return `${world.cdnBase}/guilds/${member.guild.id}/users/${user.id}/avatars/${own.hash}.png`;
  }
  return user.avatar ? `${world.cdnBase}/avatars/${user.id}/${user.avatar.hash}.png` : null;
}

function colourOf(name: string): string {
  const [byte = 0] = createHash('sha256').update(name).digest();
  return COLOURS[byte % COLOURS.length] ?? '#4b4fb0';
}
