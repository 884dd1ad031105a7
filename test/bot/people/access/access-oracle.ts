import type { RuleEntry, Use } from '../../../../src/bot/people/access/rules.ts';

/**
 * The rules of a guild. This file applies them as the documentation describes, and the bot must make the same
 * decisions.
 */
export interface Ruling {
  readonly entries: readonly RuleEntry[];
  readonly ageRestrictedOnly: boolean;
}

/**
 * Returns whether the rules allow a use. A ban of any of the member's roles, or of any of the place's channels and
 * categories, takes precedence over every allowance. As soon as one target of a kind is allowed, all other targets of
 * that kind are forbidden. An unknown place counts as banned by every channel ban, and as not age-restricted.
 */
export function isAllowed({ entries, ageRestrictedOnly }: Ruling, use: Use): boolean {
  const named = (kind: RuleEntry['kind'], effect: RuleEntry['effect']): string[] =>
    entries.filter((entry) => entry.kind === kind && entry.effect === effect).map(({ target }) => target);
  const passes = (kind: RuleEntry['kind'], ids: readonly string[]): boolean => {
    const isBanned = named(kind, 'deny').some((target) => ids.includes(target));
    const allowed = named(kind, 'allow');
    return !isBanned && (allowed.length === 0 || allowed.some((target) => ids.includes(target)));
  };
  const isPlaceKnown = use.parentChannelIds !== null;
  return (
    (!ageRestrictedOnly || use.isAgeRestricted) &&
    (isPlaceKnown || named('channel', 'deny').length === 0) &&
    passes('member', [use.userId]) &&
    passes('channel', [use.channelId, ...(use.parentChannelIds ?? [])]) &&
    passes('role', use.roleIds) &&
    passes('capability', [use.capability])
  );
}
