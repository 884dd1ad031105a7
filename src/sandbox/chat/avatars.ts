import { createHash } from 'node:crypto';
import type { Guild, Member } from './guild.ts';
import { imageSize } from './image-size.ts';
import type { Avatar, User } from './user.ts';
import type { World } from './world.ts';

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Sets a user's avatar for all guilds. Throws if `bytes` is not a PNG file. */
export function setAvatar(user: User, bytes: Uint8Array): void {
  user.avatar = toAvatar(bytes);
}

/** Sets a member's avatar in one guild. Throws if `bytes` is not a PNG file. */
export function setMemberAvatar(member: Member, bytes: Uint8Array): void {
  member.avatar = toAvatar(bytes);
}

/** Finds the avatar that the CDN stores under this hash, for a user or for a member of a guild. */
export function findAvatar(
  world: World,
  { userId, guildId, hash }: { readonly userId: string; readonly guildId?: string; readonly hash: string },
): Avatar | undefined {
  const guild: Guild | undefined = guildId === undefined ? undefined : world.guilds.get(guildId);
  const avatar = guildId === undefined ? world.users.get(userId)?.avatar : guild?.members.get(userId)?.avatar;
  return avatar?.hash === hash ? avatar : undefined;
}

function toAvatar(bytes: Uint8Array): Avatar {
  if (!PNG_SIGNATURE.equals(bytes.subarray(0, PNG_SIGNATURE.length)) || !imageSize(bytes)) {
    throw new Error('Cannot set an avatar: it is not a PNG file');
  }
  return { hash: createHash('sha256').update(bytes).digest('hex').slice(0, 32), bytes };
}
