import type { RuleEffect, RuleKind } from '../../../../db/schema/guild-rules.ts';
import type { AccessRefusal } from '../../jobs/intake/refusals.ts';
import type { CallOrigin } from '../../jobs/call-origin.ts';
import { SETTING_DEFAULTS } from '../../settings/setting-defaults.ts';

/** Limits on a member's jobs: the operator's defaults, or the values that a guild has set. */
export interface AccessLimits {
  /** The minimum time between two jobs of one member, in seconds, at most 86,400. Default 0: no minimum. */
  readonly cooldownSeconds: number;
  /**
   * The number of open jobs that one member may have in a guild, from 1 to 50; null means that only the bot's general
   * limits on open jobs apply. Default null.
   */
  readonly concurrentMax: number | null;
  /** Whether jobs are allowed only in age-restricted channels. Default false. */
  readonly ageRestrictedOnly: boolean;
}

export const ACCESS_DEFAULTS: AccessLimits = SETTING_DEFAULTS.access;

/** One permission or ban. If anything of a kind is allowed explicitly, everything else of that kind is forbidden. */
export interface RuleEntry {
  readonly kind: RuleKind;
  readonly target: string;
  readonly effect: RuleEffect;
}

export interface Rules extends AccessLimits {
  readonly entries: readonly RuleEntry[];
}

/** The facts that access rules are compared with: the member, the place and the capability. */
export interface Use extends Pick<
  CallOrigin,
  'guildId' | 'channelId' | 'parentChannelIds' | 'isAgeRestricted' | 'userId' | 'roleIds'
> {
  /** The API's name for the capability. */
  readonly capability: string;
}

const LISTED_MAX = 5;

/**
 * Returns the first rule that `request` violates, considering only rules that do not depend on other jobs. `memberIds`
 * are the names by which the block list may refer to the member. The rules apply to admins, too, so that they see what
 * members see.
 */
export function brokenRule(rules: Rules, request: Use, memberIds: readonly string[]): AccessRefusal | null {
  if (verdict(rules, 'member', memberIds) === 'deny') return { rule: 'blocked' };
  if (rules.ageRestrictedOnly && !request.isAgeRestricted) return { rule: 'age_restricted' };
  if (isShutOutPlace(rules, request)) {
    return { rule: 'channel', allowedIds: allowed(rules, 'channel') };
  }
  const roles = verdict(rules, 'role', request.roleIds);
  if (roles === 'deny') {
    const isShutOut = request.roleIds.some((id) => effectOf(rules, 'role', id) === 'deny');
    return { rule: 'role', neededIds: isShutOut ? [] : allowed(rules, 'role') };
  }
  return verdict(rules, 'capability', [request.capability]) === 'deny' ? { rule: 'capability' } : null;
}

/**
 * Whether the channel is forbidden. If its parents are not known, one of them may be forbidden, so any ban on a channel
 * forbids it.
 */
function isShutOutPlace(rules: Rules, { channelId, parentChannelIds }: Use): boolean {
  if (verdict(rules, 'channel', [channelId, ...(parentChannelIds ?? [])]) === 'deny') return true;
  const isAnyShutOut = rules.entries.some(({ kind, effect }) => kind === 'channel' && effect === 'deny');
  return parentChannelIds === null && isAnyShutOut;
}

/**
 * Denies if any of the targets is banned, or if something of the kind is allowed explicitly but none of the targets is.
 */
function verdict(rules: Rules, kind: RuleKind, targets: readonly string[]): RuleEffect {
  const effects = targets.map((target) => effectOf(rules, kind, target));
  if (effects.includes('deny')) return 'deny';
  if (effects.includes('allow')) return 'allow';
  return rules.entries.some((entry) => entry.kind === kind && entry.effect === 'allow') ? 'deny' : 'allow';
}

function effectOf(rules: Rules, kind: RuleKind, target: string): RuleEffect | undefined {
  return rules.entries.find((entry) => entry.kind === kind && entry.target === target)?.effect;
}

function allowed(rules: Rules, kind: RuleKind): readonly string[] {
  return rules.entries
    .filter((entry) => entry.kind === kind && entry.effect === 'allow')
    .map(({ target }) => target)
    .slice(0, LISTED_MAX);
}
