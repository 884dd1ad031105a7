import { ZERO, formatUsd } from '../../../../base/money.ts';
import { clockTime, zonedMoment } from '../../../../base/time-zone.ts';
import type { GuildBudgetSettings } from '../../../money/budgets/guild-budget-settings.ts';

const PERIOD_NAMES = { day: "Today's", week: "This week's", month: "This month's" } as const;

/** Describes the settings that apply in addition to the budgets. */
export function budgetSettingsText(settings: GuildBudgetSettings, nowMs: number): string {
  const { timeZone, confirmAbove, alertsChannelId, voiceRenewal, managerRoleIds } = settings;
  const roles = managerRoleIds.map((roleId) => `, <@&${roleId}>`).join('');
  return [
    `- **Time zone**: ${timeZone}, now ${clockTime(timeZone, nowMs)}`,
    `- **Asked before**: ${confirmText(confirmAbove)}`,
    `- **Alerts go to**: ${alertsChannelId === null ? 'no channel' : `<#${alertsChannelId}>`}`,
    `- **Voice sessions**: ${voiceRenewal ? 'go on by themselves while somebody speaks' : 'end when their time is up'}`,
    `- **Managed by**: members who may manage the server${roles}`,
    ...zoneNotes(settings),
  ].join('\n');
}

/**
 * After a time zone change, explains why the current periods are longer, and lists the times when budgets next reset.
 */
function zoneNotes({ lengthened, timeZone }: GuildBudgetSettings): readonly string[] {
  if (lengthened.length === 0) return [];
  return [
    '',
    "The time zone changed, which lengthens what is under way, so that nobody can use a budget twice. Budgets set here, also those that you set from now on, first reset by this zone's clocks at:",
    ...lengthened.map(
      ({ period, resetsAtMs }) => `- ${PERIOD_NAMES[period]}: **${zonedMoment(timeZone, resetsAtMs)}**`,
    ),
    `Then they follow the calendar of ${timeZone}.`,
  ];
}

function confirmText(confirmAbove: GuildBudgetSettings['confirmAbove']): string {
  if (confirmAbove === null) return 'no job';
  return confirmAbove === ZERO ? 'every job' : `jobs of more than ${formatUsd(confirmAbove)}`;
}
