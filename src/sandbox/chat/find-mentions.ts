import type { Guild } from './guild.ts';
import type { AllowedMentions } from './message-body.ts';
import type { Mentions } from './message.ts';
import type { World } from './world.ts';

/**
 * Returns the users and roles that `content` notifies: those that it mentions, except those excluded by
 * `allowed_mentions` or by the author's permissions.
 */
export function findMentions(
  world: World,
  guild: Guild | null,
  content: string,
  allowed: AllowedMentions | null | undefined,
  mayMentionEveryone: boolean,
): Mentions {
  const may = (kind: 'users' | 'roles', id: string): boolean => {
    if (!allowed) return true;
    return Boolean(allowed.parse?.includes(kind)) || Boolean(allowed[kind]?.includes(id));
  };
  const named = (pattern: RegExp): string[] => [
    ...new Set([...content.matchAll(pattern)].map((match) => match[1] ?? '')),
  ];
  const users = named(/<@!?(\d{17,19})>/g).flatMap((id) => world.users.get(id) ?? []);
  const roles = named(/<@&(\d{17,19})>/g).filter((id) => guild?.roles.has(id));
  const everyone = /@(everyone|here)\b/.test(content) && mayMentionEveryone;
  return {
    users: users.filter((user) => may('users', user.id)),
    roleIds: mayMentionEveryone ? roles.filter((id) => may('roles', id)) : [],
    everyone: everyone && (!allowed || Boolean(allowed.parse?.includes('everyone'))),
  };
}
