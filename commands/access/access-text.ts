import { GATED_NAMES } from '../../src/bot/discord/words/texts.ts';
import type { AccessView } from '../../src/bot/people/access/access-view.ts';

type Kind = AccessView['entries'][number]['kind'];

/**
 * The maximum number of entries shown in each list. With ids of 20 digits, all lists stay within Discord's limit of
 * 4,096 characters.
 */
const SHOWN_MAX = 20;
const NAMES: ReadonlyMap<string, string> = new Map(Object.entries(GATED_NAMES));

/** Formats the rules of a server for its admins. */
export function accessText(view: AccessView): string {
  const { cooldownSeconds, concurrentMax, ageRestrictedOnly, reportsChannelId } = view;
  return [
    `- **Roles**: ${ruleText(view, 'role', (id) => `<@&${id}>`)}`,
    `- **Channels**: ${ruleText(view, 'channel', (id) => `<#${id}>`)}`,
    `- **Commands**: ${ruleText(view, 'capability', (name) => NAMES.get(name) ?? name)}`,
    `- **Blocked members**: ${blockedText(view)}`,
    `- **Pause between two commands of a member**: ${cooldownSeconds === 0 ? 'none' : `${cooldownSeconds} s`}`,
    `- **At once per member**: ${concurrentMax ?? 'no limit of its own'}`,
    `- **Age-restricted channels only**: ${ageRestrictedOnly ? 'yes' : 'no'}`,
    `- **Reports go to**: ${reportsChannelId === null ? 'no channel' : `<#${reportsChannelId}>`}`,
    '',
    'These rules count for everybody, admins included.',
  ].join('\n');
}

function ruleText(view: AccessView, kind: Kind, show: (target: string) => string): string {
  const allowed = targets(view, kind, 'allow').map(show);
  const denied = targets(view, kind, 'deny').map(show);
  if (allowed.length === 0 && denied.length === 0) return 'all';
  const parts = [
    ...(allowed.length === 0 ? ['all'] : [`only ${listed(allowed)}`]),
    ...(denied.length === 0 ? [] : [`not ${listed(denied)}`]),
  ];
  return parts.join(', but ');
}

function blockedText(view: AccessView): string {
  const all = targets(view, 'member', 'deny');
  const present = all.filter((id) => /^\d+$/.test(id)).map((id) => `<@${id}>`);
  const gone = all.length - present.length;
  if (all.length === 0) return 'none';
  return [
    ...(present.length === 0 ? [] : [listed(present)]),
    ...(gone === 0 ? [] : [`${gone} who deleted their data`]),
  ].join(', and ');
}

function targets(view: AccessView, kind: Kind, effect: 'allow' | 'deny'): readonly string[] {
  return view.entries
    .filter((entry) => entry.kind === kind && entry.effect === effect)
    .map(({ target }) => target);
}

function listed(items: readonly string[]): string {
  const more = items.length - SHOWN_MAX;
  return `${items.slice(0, SHOWN_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
