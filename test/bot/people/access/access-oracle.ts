import type { RuleEntry, Use } from '../../../../src/bot/people/access/rules.ts';

/** What the rules say, in the words of the documentation; the bot must come to the same. */
export interface Ruling {
  readonly entries: readonly RuleEntry[];
  readonly ageRestrictedOnly: boolean;
}

/**
 * A ban beats an allowance, whichever of a member's roles or of a place's channel and category it names. As soon as
 * something of a kind is allowed, nothing else of that kind is. A place that is not known counts as a place of every
 * ban, and as one that is not age-restricted.
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
