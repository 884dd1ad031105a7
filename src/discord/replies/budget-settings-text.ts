import { ZERO, formatUsd } from '../../base/money.ts';
import { clockTime } from '../../base/time-zone.ts';
import type { GuildBudgetSettings } from '../../ledger/budget-ports.ts';

/** What counts besides the budgets themselves. */
export function budgetSettingsText(settings: GuildBudgetSettings, nowMs: number): string {
  const { timeZone, confirmAbove, alertsChannelId, voiceRenewal, managerRoleIds } = settings;
  const roles = managerRoleIds.map((roleId) => `, <@&${roleId}>`).join('');
  return [
    `- **Time zone**: ${timeZone}, now ${clockTime(timeZone, nowMs)}`,
    `- **Asked before**: ${confirmText(confirmAbove)}`,
    `- **Alerts go to**: ${alertsChannelId === null ? 'no channel' : `<#${alertsChannelId}>`}`,
    `- **Voice sessions**: ${voiceRenewal ? 'go on by themselves while somebody speaks' : 'end when their time is up'}`,
    `- **Managed by**: members who may manage the server${roles}`,
  ].join('\n');
}

function confirmText(confirmAbove: GuildBudgetSettings['confirmAbove']): string {
  if (confirmAbove === null) return 'no job';
  return confirmAbove === ZERO ? 'every job' : `jobs of more than ${formatUsd(confirmAbove)}`;
}
