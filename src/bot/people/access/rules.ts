import type { RuleEffect, RuleKind } from '../../../../db/schema/guild-rules.ts';
import type { AccessRefusal } from '../../jobs/intake/refusals.ts';
import type { CallOrigin } from '../../jobs/call-origin.ts';
import { SETTING_DEFAULTS } from '../../../settings/setting-defaults.ts';

/** Bounds on what a member may ask for; the operator's defaults, and what a guild set instead. */
export interface AccessLimits {
  /** Seconds from one job of a member to their next. Default 0: none. At most 86,400. */
  readonly cooldownSeconds: number;
  /** Open jobs of one member in a guild; null leaves it to the guild's own bound. Default null, 1 to 50. */
  readonly concurrentMax: number | null;
  /** Jobs in age-restricted channels only. Default false. */
  readonly ageRestrictedOnly: boolean;
}

export const ACCESS_DEFAULTS: AccessLimits = SETTING_DEFAULTS.access;

/** One allowance or ban. As soon as something of a kind is allowed, nothing else of that kind is. */
export interface RuleEntry {
  readonly kind: RuleKind;
  readonly target: string;
  readonly effect: RuleEffect;
}

export interface Rules extends AccessLimits {
  readonly entries: readonly RuleEntry[];
}

/** Who wants to use what, and where. */
export interface Use extends Pick<
  CallOrigin,
  'guildId' | 'channelId' | 'parentChannelIds' | 'isAgeRestricted' | 'userId' | 'roleIds'
> {
  /** By the API's name. */
  readonly capability: string;
}

const TOLD_MAX = 5;

/**
 * The first rule that `request` goes against, of those that need no look at other jobs. `memberIds` are the
 * names the member may have in the block list. Nobody is exempt, so that admins see what members see.
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

/** Where it is not known what a channel belongs to, it may belong to one that is shut out. */
function isShutOutPlace(rules: Rules, { channelId, parentChannelIds }: Use): boolean {
  if (verdict(rules, 'channel', [channelId, ...(parentChannelIds ?? [])]) === 'deny') return true;
  const isAnyShutOut = rules.entries.some(({ kind, effect }) => kind === 'channel' && effect === 'deny');
  return parentChannelIds === null && isAnyShutOut;
}

/** A ban of any of the targets counts; otherwise one of them must be allowed if anything of the kind is. */
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
    .slice(0, TOLD_MAX);
}
